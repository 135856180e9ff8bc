import { digest, refusal } from './columns.ts'

const outcome = `array['ended_at','passed','failed','transcript_hash']`

/** Tests of the running service with their transcripts, and the reports that regressions are read from. */
export const harness: readonly string[] = [
  `create table harness_runs (
    test_run_id text primary key check (test_run_id ~ '^tr_[0-9a-f]{64}$'),
    suite text not null check (suite in ('agent-to-agent-test-harness','external-agent-invocation-test',
      'external-agent-agent-test','credential-enforcement-agent-test')),
    rail text not null,
    steps json not null,
    counterpart_mcp_url text check (char_length(counterpart_mcp_url) <= 2048),
    caller_sha256 text not null ${digest('caller_sha256')},
    code_version text not null,
    created_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz,
    passed integer check (passed >= 0),
    failed integer check (failed >= 0),
    transcript_hash text ${digest('transcript_hash')},
    check ((ended_at is null) = (transcript_hash is null)),
    check ((ended_at is null) = (passed is null) and (ended_at is null) = (failed is null))
  )`,
  `create index harness_runs_created on harness_runs (created_at)`,
  `create index harness_runs_open on harness_runs (test_run_id) where ended_at is null`,
  `create table harness_facts (
    test_run_id text not null references harness_runs on delete cascade,
    name text not null check (char_length(name) between 1 and 80),
    fact text not null check (char_length(fact) <= 512),
    primary key (test_run_id, name)
  )`,
  `create table harness_steps (
    test_run_id text not null references harness_runs on delete cascade,
    step text not null,
    played json not null,
    at timestamptz not null default clock_timestamp(),
    primary key (test_run_id, step)
  )`,
  `create table regression_reports (
    report_id text primary key check (report_id ~ '^rg_[0-9a-f]{64}$'),
    seq bigint not null unique generated always as identity,
    origin text not null check (origin in ('service','caller')),
    test_run_id text unique references harness_runs,
    agent_id text references agents,
    suite text not null check (char_length(suite) between 1 and 80),
    steps json not null,
    passed integer not null check (passed >= 0),
    failed integer not null check (failed >= 0),
    transcript_hash text not null ${digest('transcript_hash')},
    code_version text not null check (char_length(code_version) between 1 and 80),
    note text check (char_length(note) <= 1000),
    receipt_id text references receipts,
    at timestamptz not null default clock_timestamp(),
    check ((origin = 'service') = (test_run_id is not null)),
    check ((origin = 'service') = (receipt_id is not null)),
    check (origin = 'service' or agent_id is not null)
  )`,
  `create index regression_reports_suite on regression_reports (origin, suite, seq)`,
  `create index regression_reports_origin on regression_reports (origin, seq)`,
  `create index regression_reports_own on regression_reports (agent_id, seq) where origin = 'caller'`,
  `create index regression_reports_agent on regression_reports (agent_id, at) where origin = 'caller'`,
  `create function harness_runs_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      ${refusal(`old.created_at > clock_timestamp() - interval '30 days'`, 'a test is kept for 30 days')}
      return old;
    end if;
    if tg_op = 'INSERT' then
      ${refusal(`new.ended_at is not null`, 'a test begins without an outcome')}
      return new;
    end if;
    ${refusal(`old.ended_at is not null`, 'the outcome of a test never changes')}
    ${refusal(
      `to_jsonb(new) - ${outcome} <> to_jsonb(old) - ${outcome}`,
      'what was asked of a test never changes',
    )}
    return new;
  end $$`,
  `create trigger harness_runs_guard before insert or update or delete on harness_runs
    for each row execute function harness_runs_guard()`,
  `create function harness_append_only() returns trigger language plpgsql as $$
  begin
    raise exception 'what a test or a report holds never changes' using errcode = 'check_violation';
  end $$`,
  `create trigger harness_facts_kept before update on harness_facts
    for each row execute function harness_append_only()`,
  `create trigger harness_steps_kept before update on harness_steps
    for each row execute function harness_append_only()`,
  `create trigger regression_reports_kept before update or delete on regression_reports
    for each row execute function harness_append_only()`,
]
