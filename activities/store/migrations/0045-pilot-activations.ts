import { guard } from './guards.ts'

/** The chains that activate controlled pilots, or that were refused. */
export const pilotActivations: readonly string[] = [
  // Every chain of a controlled pilot, activated or refused, as its audit event.
  `create table pilot_activations (
    activation_id text primary key check (activation_id ~ '^av_[0-9a-f]{64}$'),
    audit_event_id text not null unique check (audit_event_id ~ '^aud_[0-9a-f]{64}$'),
    pilot_id text unique references pilots,
    rail text not null,
    agent_id text not null references agents,
    credential_id text not null references agent_credentials,
    objective text not null check (char_length(objective) between 1 and 2000),
    tool_scope json not null,
    chain json not null,
    failed_step text,
    code text,
    begun_at timestamptz not null default clock_timestamp(),
    check ((pilot_id is null) = (failed_step is not null)),
    check (num_nonnulls(failed_step, code) in (0, 2))
  )`,
  `create index pilot_activations_rail on pilot_activations (rail, begun_at desc, activation_id)`,
  ...guard('pilot_activations', {
    kept: 'a chain stays as it was written',
    inserted: {
      'a pilot is activated by all seven steps': `new.pilot_id is not null and (json_array_length(new.chain) <> 7
        or exists (select from json_array_elements(new.chain) c where not coalesce((c->>'ok')::boolean, false)))`,
      'the audit event of a pilot is that of its run': `new.pilot_id is not null and not exists (select from pilot_runs r where r.pilot_id = new.pilot_id
        and r.audit_event_id = new.audit_event_id)`,
    },
  }),
  // Synthetic runs by which operators try a pilot out; none of them is its run.
  `create table pilot_trials (
    task_id text primary key references tasks,
    pilot_id text not null references pilots,
    operator_id text not null,
    note text not null check (char_length(note) between 1 and 1000),
    receipt_id text not null references receipts,
    started_at timestamptz not null default clock_timestamp()
  )`,
  `create index pilot_trials_pilot on pilot_trials (pilot_id, started_at desc, task_id)`,
  ...guard('pilot_trials', {
    kept: 'a trial of a pilot stays as it was written',
    inserted: {
      'a trial of a pilot is synthetic': `(select usage from tasks t where t.task_id = new.task_id) is distinct from 'synthetic'`,
      'a pilot has 20 trials at most': `(select count(*) from pilot_trials t where t.pilot_id = new.pilot_id) >= 20`,
    },
  }),
]
