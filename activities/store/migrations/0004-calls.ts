/** Calls with their charges and proof nonces, the free tier, and the counters that limit callers. */
export const calls: readonly string[] = [
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
    input json,
    delivered_at timestamptz,
    unique (caller, operation, key),
    check (answer_state = 'open' or (grant_state = 'used' and answer is not null and status between 200 and 299)),
    check ((funding in ('payment','credit')) = (payment_id is not null)),
    constraint calls_input_check check (input is null or grant_state = 'open')
  )`,
  `create index calls_free on calls (caller, granted_at) where funding = 'free' and grant_state <> 'released'`,
  `create index calls_payment on calls (payment_id) where payment_id is not null`,
  `create index calls_unfinished on calls (lease_until) where grant_state = 'open'`,
  `create index calls_uncharged on calls (caller, subject) where answer_state = 'done'`,
  `create index calls_undelivered on calls (caller, granted_at)
    where funding = 'payment' and answer_state = 'final' and subject = call_id and delivered_at is null`,
  `create table proof_nonces (
    wallet text not null, nonce text not null, path text not null, body_sha256 text not null,
    call_id text not null references calls, used_at timestamptz not null default clock_timestamp(),
    primary key (wallet, nonce)
  )`,
  `create index proof_nonces_call on proof_nonces (call_id)`,
  // What a caller owes, holds and has used. Inlined, so that each caller sees what is committed by then.
  `create function caller_quota(a_caller text, a_wallet text, window_seconds integer)
    returns table (debt_call text, debt_payment text, debt_operation text, credit text, free_used integer) language sql stable as $$
    select d.call_id, d.payment_id, d.operation,
      (select payment_id from payments where proof_wallet = a_wallet and payments.credit = 'available' order by changed_at limit 1),
      (select count(*)::integer from calls f where f.caller = a_caller and f.funding = 'free' and f.grant_state <> 'released'
        and f.granted_at > clock_timestamp() - window_seconds * interval '1 second')
    from (values (1)) as one(row) left join lateral (
      select c.call_id, c.payment_id, c.operation from calls c join payments p using (payment_id)
      where c.caller = a_caller and c.answer_state = 'done' and p.state = 'failed' limit 1) d on true $$`,
  // Grants a new call on the free tier in one statement, under the caller's lock. It returns false and writes nothing if the call
  // exists, its proof nonce is used, or the caller has a debt, a credit or no free call left.
  `create function grant_free(a_call text, a_caller text, an_operation text, a_key text, a_fingerprint text, a_path text,
    a_wallet text, a_nonce text, a_body_sha256 text, a_holder text, lease_ms integer, an_input json,
    most integer, window_seconds integer) returns boolean language plpgsql as $$
  declare quota record;
  begin
    perform pg_advisory_xact_lock(hashtextextended('caller:' || a_caller, 0));
    if exists (select from proof_nonces where wallet = a_wallet and nonce = a_nonce) then return false; end if;
    select * into quota from caller_quota(a_caller, a_wallet, window_seconds);
    if quota.debt_call is not null or quota.credit is not null or quota.free_used >= most then return false; end if;
    insert into calls (call_id, caller, operation, key, fingerprint, grant_state, answer_state, funding,
      proof_nonce, path, body_sha256, lease_holder, lease_until, input)
    values (a_call, a_caller, an_operation, a_key, a_fingerprint, 'open', 'open', 'free',
      a_nonce, a_path, a_body_sha256, a_holder, clock_timestamp() + lease_ms * interval '1 millisecond', an_input)
    on conflict do nothing;
    if not found then return false; end if;
    insert into proof_nonces (wallet, nonce, path, body_sha256, call_id)
    values (a_wallet, a_nonce, a_path, a_body_sha256, a_call);
    return true;
  end $$`,
  // A lease needs no write to disk: after a crash of Postgres no lease is valid.
  `create unlogged table update_leases (resource text not null, slot integer not null, holder text not null, lease_until timestamptz not null,
    primary key (resource, slot))`,
  // The layout that rate-limiter-flexible expects.
  `create table rate_limits (key varchar(255) primary key, points integer not null default 0, expire bigint)`,
  `create table failed_attempts (
    subject text primary key,
    failures integer not null check (failures >= 1),
    window_ends_at timestamptz not null
  )`,
  `create index failed_attempts_over on failed_attempts (window_ends_at)`,
]
