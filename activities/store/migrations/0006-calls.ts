import { operatorsAct } from './guards.ts'

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
    -- Why the last step for it was refused.
    refusal json,
    constraint calls_input_check check ((input is null and refusal is null) or grant_state = 'open')
  )`,
  `create index calls_free on calls (caller, granted_at) where funding = 'free' and grant_state <> 'released'`,
  `create index calls_payment on calls (payment_id) where payment_id is not null`,
  `create index calls_unfinished on calls (lease_until) where grant_state = 'open'`,
  `create index calls_uncharged on calls (caller, subject) where answer_state = 'done'`,
  `create index calls_undelivered on calls (caller, granted_at)
    where funding = 'payment' and answer_state = 'final' and subject = call_id and delivered_at is null`,
  // How the trust operations find a call by the nonce of its proof.
  `create index calls_nonce on calls (caller, proof_nonce) where grant_state = 'used'`,
  operatorsAct('calls', 'caller'),
  `create table proof_nonces (
    wallet text not null, nonce text not null, path text not null, body_sha256 text not null,
    call_id text not null references calls, used_at timestamptz not null default clock_timestamp(),
    primary key (wallet, nonce)
  )`,
  `create index proof_nonces_call on proof_nonces (call_id)`,
  // A lease needs no write to disk: after a crash of Postgres no lease is valid.
  `create unlogged table update_leases (resource text not null, slot integer not null, holder text not null, lease_until timestamptz not null,
    primary key (resource, slot))`,
  // What each key has used in its present window: of limits, failed attempts and processor time.
  `create table window_counts (
    key text primary key,
    points integer not null check (points >= 0),
    window_ends_at timestamptz not null
  )`,
  `create index window_counts_over on window_counts (window_ends_at)`,
]
