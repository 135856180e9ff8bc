import { recordKind } from './columns.ts'

/** Callbacks: deliveries with their attempts, the hosts that agreed to receive them, daily counts of requests, and the demo inbox. */
export const callbacks: readonly string[] = [
  // A host is proven for one owner only.
  `create table callback_hosts (
    owner text not null,
    host text not null,
    proven_at timestamptz not null default clock_timestamp(),
    primary key (owner, host)
  )`,
  `create table callback_deliveries (
    delivery_id text primary key check (delivery_id ~ '^cb_[0-9a-f]{64}$'),
    owner text not null,
    event text not null check (event in ('task_updated','credential_ready','payout_updated')),
    subject text not null,
    ordinal integer not null check (ordinal >= 0),
    url text not null check (length(url) <= 2048),
    host text not null,
    state text not null default 'pending' check (state in ('pending','retrying','delivered','gave_up','disabled')),
    failures integer not null default 0 check (failures between 0 and 8),
    next_attempt_at timestamptz not null default clock_timestamp(),
    created_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    held_back_until timestamptz,
    ${recordKind('callback_delivery')},
    unique (subject, event, ordinal),
    check ((state in ('delivered','gave_up','disabled')) = (finished_at is not null)),
    check (state <> 'pending' or failures = 0),
    check (state <> 'retrying' or failures between 1 and 7),
    check ((state = 'gave_up') = (failures = 8))
  )`,
  `create index callback_deliveries_due on callback_deliveries (delivery_id, next_attempt_at) where finished_at is null`,
  // An attempt is stored before its request is sent. An attempt without an outcome may have arrived.
  `create table callback_attempts (
    delivery_id text not null references callback_deliveries,
    attempt integer not null check (attempt > 0),
    kind text not null check (kind in ('proof','delivery')),
    failures_before integer not null,
    body_sha256 text not null check (body_sha256 ~ '^[0-9a-f]{64}$'),
    began_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz,
    outcome text check (outcome in ('taken','failed','gone')),
    status integer,
    failure text,
    primary key (delivery_id, attempt),
    check ((outcome is null) = (ended_at is null)),
    check ((coalesce(outcome, 'taken') = 'taken') = (failure is null)),
    check (outcome is not null or status is null)
  )`,
  `create function callback_deliveries_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then raise exception 'a delivery is never deleted' using errcode = 'check_violation'; end if;
    if tg_op = 'INSERT' then
      if new.state <> 'pending' then raise exception 'a delivery begins as pending' using errcode = 'check_violation'; end if;
      return new;
    end if;
    if (old.delivery_id, old.owner, old.event, old.subject, old.ordinal, old.url, old.host, old.created_at)
       is distinct from (new.delivery_id, new.owner, new.event, new.subject, new.ordinal, new.url, new.host, new.created_at)
    then raise exception 'what is delivered where never changes' using errcode = 'check_violation'; end if;
    if new.failures not in (old.failures, old.failures + 1)
      or (old.state, new.state) not in (('pending','pending'), ('pending','retrying'), ('pending','delivered'), ('pending','disabled'), ('retrying','retrying'), ('retrying','delivered'), ('retrying','gave_up'), ('retrying','disabled'), ('delivered','delivered'), ('gave_up','gave_up'), ('disabled','disabled'))
    then raise exception 'no such delivery transition: % to %', old.state, new.state using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger callback_deliveries_guard before insert or update or delete on callback_deliveries for each row execute function callback_deliveries_guard()`,
  `create function callback_attempts_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' or old.outcome is not null
       or (old.delivery_id, old.attempt, old.kind, old.failures_before, old.body_sha256, old.began_at)
       is distinct from (new.delivery_id, new.attempt, new.kind, new.failures_before, new.body_sha256, new.began_at)
    then raise exception 'an attempt stays as it was, but for its outcome, once' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger callback_attempts_guard before update or delete on callback_attempts for each row execute function callback_attempts_guard()`,
  // The requests of each UTC day, by owner, by all owners without trust, and by all trusted owners.
  `create table callback_posts (
    scope text not null,
    day date not null,
    posts bigint not null check (posts >= 0),
    primary key (scope, day)
  )`,
  `create table callback_inbox (
    receiver text not null check (length(receiver) between 1 and 64),
    delivery_id text not null check (delivery_id ~ '^cb_[0-9a-f]{64}$'),
    event text not null,
    attempts integer not null default 1 check (attempts >= 1),
    refused integer not null default 0 check (refused between 0 and attempts),
    first_at timestamptz not null default clock_timestamp(),
    received_at timestamptz,
    primary key (receiver, delivery_id)
  )`,
  `create index callback_inbox_newest on callback_inbox (receiver, first_at desc)`,
]
