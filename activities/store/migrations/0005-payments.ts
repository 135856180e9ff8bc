import { hex } from './columns.ts'
import { keepRows } from './guards.ts'

/**
 * x402 payments, every verified signature over a payment nonce with its window, and the gas wallets with the transactions of their
 * queues.
 */
export const payments: readonly string[] = [
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
    settled_at timestamptz,
    failed_block_number bigint,
    failed_block_hash text ${hex('failed_block_hash', 64)},
    failed_block_time timestamptz,
    unique (asset, payer, authorization_nonce),
    check (state <> 'settled' or (transaction_hash is not null and block_number is not null)),
    check (num_nonnulls(failed_block_number, failed_block_hash, failed_block_time) = case state when 'failed' then 3 else 0 end),
    check (credit = 'none' or state in ('settled', 'settling', 'pending'))
  )`,
  // What the chain proves is recorded by a worker, and a proven failure stays.
  `create function payments_guard() returns trigger language plpgsql as $$
  begin
    if current_user = 'agent_rails_api' and new.state in ('settled','failed') and (tg_op = 'INSERT' or new.state <> old.state)
    then raise exception 'an API process settles and fails no payment' using errcode = 'check_violation'; end if;
    if tg_op = 'UPDATE' and old.state = 'failed' and new.state <> 'failed'
    then raise exception 'a failed payment stays so' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger payments_guard before insert or update of state on payments for each row execute function payments_guard()`,
  `create index payments_due on payments (changed_at) where state in ('settling','pending') or (state = 'settled' and not finalized)`,
  `create index payments_credit on payments (proof_wallet) where credit = 'available'`,
  `create index payments_paid on payments (proof_wallet) where state = 'settled'`,
  `create index payments_payer on payments (payer)`,
  // Everyone who saw one of these signatures may broadcast it while its window is open.
  `create table payment_signatures (
    payment_id text not null check (payment_id ~ '^[0-9a-f]{64}$'),
    signature text not null,
    valid_after numeric(78,0) not null,
    valid_before numeric(78,0) not null,
    amount_atomic numeric(78,0) not null,
    pay_to text not null,
    verified_at timestamptz not null default clock_timestamp(),
    primary key (payment_id, signature)
  )`,
  ...keepRows('payment_signatures', 'a verified signature stays as it was seen'),
  // `moved_at`: since when the oldest open nonce of a wallet is the same one; `jammed_at`: when that was found to be a jam.
  `create table gas_wallets (
    address text primary key ${hex('address', 40)},
    next_nonce bigint not null check (next_nonce >= 0),
    moved_at timestamptz not null default clock_timestamp(),
    jammed_at timestamptz
  )`,
  // `block_number`: the block of a transaction's receipt, or the newest block when the chain had first passed its nonce and no receipt
  // was found. Only a `final` outcome, from a finalized block, never changes.
  `create table gas_wallet_transactions (
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
    block_number bigint,
    final boolean not null default false check (not final or outcome is not null and block_number is not null),
    created_at timestamptz not null default clock_timestamp(),
    broadcast_at timestamptz
  )`,
  `create index gas_wallet_transactions_by_purpose on gas_wallet_transactions (purpose)`,
  `create index gas_wallet_transactions_by_nonce on gas_wallet_transactions (gas_wallet, eoa_nonce)`,
  `create index gas_wallet_transactions_open on gas_wallet_transactions (gas_wallet, eoa_nonce) where not final`,
]
