import { type Kysely, sql } from 'kysely'

/** The payout rail: calls and their charges, payouts and their transfers, the submitter lane, receipts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const hex = (column: string, digits: number) => `check (${column} ~ '^0x[0-9a-f]{${digits}}$')`

const statements = [
  `create table payments (
    payment_id text primary key check (payment_id ~ '^[0-9a-f]{64}$'),
    asset text not null ${hex('asset', 40)},
    payer text not null ${hex('payer', 40)},
    authorization_nonce text not null ${hex('authorization_nonce', 64)},
    pay_to text not null ${hex('pay_to', 40)},
    amount_atomic numeric(78,0) not null check (amount_atomic > 0),
    valid_after numeric(78,0) not null,
    valid_before numeric(78,0) not null,
    signature text not null,
    requirements jsonb not null,
    proof_wallet text not null,
    call_id text,
    state text not null check (state in ('claimed','settling','settled','failed','pending','released')),
    credit text not null default 'none' check (credit in ('none','available','used')),
    from_block bigint,
    transaction_hash text,
    block_number bigint,
    block_hash text,
    finalized boolean not null default false check (not finalized or state = 'settled'),
    failure text,
    created_at timestamptz not null default clock_timestamp(),
    changed_at timestamptz not null default clock_timestamp(),
    unique (asset, payer, authorization_nonce),
    check (state <> 'settled' or (transaction_hash is not null and block_number is not null)),
    check (credit = 'none' or state in ('settled', 'settling', 'pending'))
  )`,
  `create index payments_due on payments (changed_at) where state in ('settling','pending') or (state = 'settled' and not finalized)`,
  `create index payments_credit on payments (proof_wallet) where credit = 'available'`,
  `create table calls (
    call_id text primary key,
    caller text not null,
    operation text not null,
    key text not null,
    fingerprint text not null,
    grant_state text not null check (grant_state in ('open','used','released')),
    answer_state text not null check (answer_state in ('open','done','final')),
    funding text not null check (funding in ('none','free','payment','credit')),
    payment_id text references payments,
    proof_nonce text,
    path text not null,
    body_sha256 text,
    subject text,
    lease_holder text,
    lease_until timestamptz,
    status integer,
    answer json,
    granted_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    unique (caller, operation, key),
    check (answer_state = 'open' or (grant_state = 'used' and answer is not null and status between 200 and 299)),
    check ((funding in ('payment','credit')) = (payment_id is not null))
  )`,
  `create index calls_free on calls (caller, granted_at) where funding = 'free' and grant_state <> 'released'`,
  `create index calls_payment on calls (payment_id) where payment_id is not null`,
  `create index calls_unfinished on calls (lease_until) where grant_state = 'open'`,
  `create index calls_uncharged on calls (caller, subject) where answer_state = 'done'`,
  `create table proof_nonces (
    wallet text not null, nonce text not null, path text not null, body_sha256 text not null,
    call_id text not null references calls, used_at timestamptz not null default clock_timestamp(),
    primary key (wallet, nonce)
  )`,
  `create index proof_nonces_call on proof_nonces (call_id)`,
  `create table payouts (
    payout_id text primary key check (payout_id ~ '^po_[0-9a-f]{64}$'),
    creator text not null ${hex('creator', 40)},
    idempotency_key text not null,
    recipient text not null ${hex('recipient', 40)},
    amount_atomic numeric(78,0) not null check (amount_atomic between 1 and 25000000),
    memo text not null,
    rail_reference text not null,
    usage text not null check (usage in ('synthetic','operational','unspecified')),
    asset text not null ${hex('asset', 40)},
    payout_wallet text not null ${hex('payout_wallet', 40)},
    terms_sha256 text not null check (terms_sha256 ~ '^[0-9a-f]{64}$'),
    state text not null check (state in ('created','authorized','executed')),
    created_at timestamptz not null default clock_timestamp(),
    authorized_at timestamptz,
    executed_at timestamptz,
    expires_at bigint,
    authorize_idempotency_key text,
    authorize_fingerprint text,
    mandate_ref text,
    unique (creator, idempotency_key),
    check ((state = 'created') = (authorized_at is null)),
    check ((state = 'executed') = (executed_at is not null)),
    check ((authorized_at is null) = (expires_at is null and mandate_ref is null and authorize_idempotency_key is null and authorize_fingerprint is null))
  )`,
  // The second guard of the state table and of "terms never change": it also holds against SQL typed by hand.
  `create function payouts_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      if new.state <> 'created' then raise exception 'a payout begins as created' using errcode = 'check_violation'; end if;
      return new;
    end if;
    if (old.payout_id, old.creator, old.idempotency_key, old.recipient, old.amount_atomic, old.memo, old.rail_reference, old.usage, old.asset, old.payout_wallet, old.terms_sha256, old.created_at)
       is distinct from (new.payout_id, new.creator, new.idempotency_key, new.recipient, new.amount_atomic, new.memo, new.rail_reference, new.usage, new.asset, new.payout_wallet, new.terms_sha256, new.created_at)
    then raise exception 'the terms of a payout never change' using errcode = 'check_violation'; end if;
    if (old.state, new.state) not in (('created','created'), ('created','authorized'), ('authorized','authorized'), ('authorized','executed'), ('executed','executed'))
    then raise exception 'no such payout transition: % to %', old.state, new.state using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger payouts_guard before insert or update on payouts for each row execute function payouts_guard()`,
  `create table transfers (
    payout_id text primary key references payouts,
    nonce text not null unique ${hex('nonce', 64)},
    wallet text not null ${hex('wallet', 40)},
    recipient text not null ${hex('recipient', 40)},
    amount_atomic numeric(78,0) not null check (amount_atomic between 1 and 25000000),
    valid_after bigint not null,
    valid_before bigint not null,
    signature text,
    status text not null check (status in ('reserved','signed','submitted','included','final','dead')),
    from_block bigint,
    transaction_hash text,
    block_number bigint,
    block_hash text,
    block_time timestamptz,
    confirmations integer not null default 0,
    parked text,
    exception text,
    call_id text not null references calls,
    reserved_at timestamptz not null default clock_timestamp(),
    changed_at timestamptz not null default clock_timestamp(),
    check (status in ('reserved','dead') or signature is not null),
    check (status not in ('included','final') or (transaction_hash is not null and block_number is not null and block_hash is not null and block_time is not null))
  )`,
  `create index transfers_counted on transfers (wallet, status, block_time) where status <> 'dead'`,
  `create index transfers_open on transfers (changed_at) where status not in ('final','dead')`,
  // A signed authorization is never replaced and its terms never change: a second signature would be a second payment in waiting.
  `create function transfers_guard() returns trigger language plpgsql as $$
  begin
    if (old.payout_id, old.nonce, old.wallet, old.recipient, old.amount_atomic, old.valid_after, old.valid_before, old.reserved_at)
       is distinct from (new.payout_id, new.nonce, new.wallet, new.recipient, new.amount_atomic, new.valid_after, new.valid_before, new.reserved_at)
       or (old.signature is not null and new.signature is distinct from old.signature)
    then raise exception 'the terms of a transfer never change' using errcode = 'check_violation'; end if;
    if old.status in ('dead','final') and new.status <> old.status
    then raise exception 'a % transfer stays so', old.status using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger transfers_guard before update on transfers for each row execute function transfers_guard()`,
  `create table gas_wallets (address text primary key ${hex('address', 40)}, next_nonce bigint not null check (next_nonce >= 0))`,
  `create table lane_transactions (
    tx_hash text primary key ${hex('tx_hash', 64)},
    gas_wallet text not null references gas_wallets,
    eoa_nonce bigint not null,
    purpose text not null,
    to_address text not null,
    data text not null,
    gas bigint not null,
    max_fee_per_gas numeric(78,0) not null,
    max_priority_fee_per_gas numeric(78,0) not null,
    raw text not null,
    outcome text check (outcome in ('mined','reverted','superseded')),
    created_at timestamptz not null default clock_timestamp(),
    broadcast_at timestamptz
  )`,
  `create index lane_by_purpose on lane_transactions (purpose)`,
  `create index lane_by_nonce on lane_transactions (gas_wallet, eoa_nonce)`,
  `create index lane_open on lane_transactions (gas_wallet, eoa_nonce) where outcome is null`,
  `create table receipts (
    receipt_id text primary key check (receipt_id ~ '^rc_[0-9a-f]{64}$'),
    subject text not null,
    seq integer not null check (seq >= 0),
    kind text not null,
    jws text not null,
    prev text,
    kid text not null,
    payload_sha256 text not null,
    issued_at timestamptz not null default clock_timestamp(),
    unique (subject, seq),
    unique (subject, kind),
    check ((seq = 0) = (prev is null))
  )`,
  `create index receipts_payload on receipts (payload_sha256)`,
  `create table replay_ledger (kind text not null, key text not null, subject text not null,
    first_seen timestamptz not null default clock_timestamp(), primary key (kind, key))`,
  `create table staged_inputs (digest text primary key, body text not null, expires_at timestamptz not null)`,
  `create index staged_inputs_expiry on staged_inputs (expires_at)`,
  `create table operators (operator_id text primary key, name text not null, secret_sha256 text not null,
    created_at timestamptz not null default clock_timestamp(), revoked_at timestamptz)`,
  `create table signing_keys (ring text not null, kid text not null, alg text not null, public_jwk jsonb not null,
    activated_at timestamptz not null default clock_timestamp(), retired_at timestamptz, revoked_at timestamptz, primary key (ring, kid))`,
  `create table controls (scope text not null, target text not null, paused boolean not null, reason text not null, operator_id text not null,
    changed_at timestamptz not null default clock_timestamp(), primary key (scope, target))`,
  `create table update_leases (resource text not null, slot integer not null, holder text not null, lease_until timestamptz not null,
    primary key (resource, slot))`,
  `create table mandates (mandate_id text primary key, operator_id text not null, payout_id text not null references payouts,
    request_sha256 text not null, ap2_mandate text not null, issued_at timestamptz not null default clock_timestamp(), expires_at timestamptz not null)`,
  // The layout that rate-limiter-flexible expects.
  `create table rate_limits (key varchar(255) primary key, points integer not null default 0, expire bigint)`,
]
