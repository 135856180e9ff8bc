import { guard, keepRows, operatorsAct } from './guards.ts'

/**
 * Reconciliation: its runs, the differences that they found, and the signed statement of each day; and when the workflows of late rows
 * were last woken, and when next.
 */
export const reconciliation: readonly string[] = [
  // `changed_since` and `snapshot_xid` are transaction ids: a row whose xmin is not before the last snapshot is newer.
  `create table reconciliations (
    reconciliation_id text primary key,
    scope text not null check (scope in ('changed','all')),
    changed_since text,
    snapshot_xid text not null,
    from_block bigint not null,
    through_block bigint not null,
    compared integer not null default 0,
    -- The stages that are done, in their order: each section is compared, and then its suspects are confirmed.
    stage integer not null default 0 check (stage between 0 and 12),
    -- Where the next page of the stage begins.
    after_key text,
    differences integer,
    started_at timestamptz not null default clock_timestamp(),
    completed_at timestamptz,
    check ((completed_at is null) = (differences is null)),
    check ((scope = 'all') = (changed_since is null))
  )`,
  `create index reconciliations_completed on reconciliations (completed_at desc) where completed_at is not null`,
  `create table reconciliation_suspects (
    reconciliation_id text not null references reconciliations,
    section text not null,
    code text not null,
    subject text not null,
    block_number bigint,
    noted_at timestamptz not null default clock_timestamp(),
    primary key (reconciliation_id, section, subject, code)
  )`,
  ...guard('reconciliations', {
    updated: {
      'a reconciliation takes its stages one after another': `new.stage not in (old.stage, old.stage + 1) or new.compared < old.compared`,
      'a reconciliation ends when everything is compared': `new.completed_at is not null and old.completed_at is null and new.stage < 12
        and (new.stage < 6 or exists (select from reconciliation_suspects s where s.reconciliation_id = new.reconciliation_id))`,
    },
  }),
  `create table exceptions (
    exception_id text primary key check (exception_id ~ '^ex_[0-9a-f]{64}$'),
    section text not null,
    code text not null,
    subject text not null,
    block_number bigint,
    evidence jsonb not null,
    evidence_sha256 text not null,
    state text not null default 'open' check (state in ('open','closed')),
    seen boolean not null default true,
    opened_by text not null references reconciliations,
    first_seen_at timestamptz not null default clock_timestamp(),
    last_seen_at timestamptz not null default clock_timestamp(),
    closed_at timestamptz,
    closed_by text,
    reason text,
    check ((state = 'closed') = (closed_at is not null and closed_by is not null and reason is not null)),
    check (state = 'closed' or (closed_at is null and closed_by is null and reason is null))
  )`,
  `create unique index exceptions_open on exceptions (code, subject) where state = 'open'`,
  `create index exceptions_subject on exceptions (subject, first_seen_at desc)`,
  `create index exceptions_seen on exceptions (section, subject) where seen`,
  `create index exceptions_first_seen on exceptions (first_seen_at)`,
  operatorsAct('exceptions', 'closed_by'),
  `create table statements (
    day text primary key check (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
    jws text not null,
    kid text not null,
    sha256 text not null unique,
    prev text,
    made_at timestamptz not null default clock_timestamp()
  )`,
  // A statement is never rewritten. An exception is never deleted, and its facts never change.
  ...keepRows('statements', 'a statement stays as it was signed'),
  ...guard('exceptions', {
    deleted: 'an exception is never deleted',
    updated: {
      'what an exception says never changes': `(old.exception_id, old.section, old.code, old.subject, old.evidence, old.opened_by, old.first_seen_at)
       is distinct from (new.exception_id, new.section, new.code, new.subject, new.evidence, new.opened_by, new.first_seen_at)
       or (old.state = 'closed' and (new.state, new.closed_at, new.closed_by, new.reason) is distinct from (old.state, old.closed_at, old.closed_by, old.reason))`,
    },
  }),
  `create table late_wakes (
    subject text not null,
    id text not null,
    since timestamptz not null,
    attempts integer not null check (attempts >= 0),
    woken_at timestamptz not null default clock_timestamp(),
    next_at timestamptz not null,
    primary key (subject, id)
  )`,
  `create index late_wakes_woken on late_wakes (woken_at)`,
  `create index late_wakes_next on late_wakes (next_at)`,
]
