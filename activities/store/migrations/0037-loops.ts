import { guard } from './guards.ts'

const written = `array['due_at','proof_id']`

/** Runs by the step that they are at, without those that are attested; and the runs whose package is proven once they close. */
export const loops: readonly string[] = [
  `create index runs_at_step on runs (step) where step is not null`,
  `create table proof_loops (
    task_id text primary key references tasks,
    agent_id text not null references agents,
    credential_id text not null references agent_credentials,
    begun_at timestamptz not null default clock_timestamp(),
    due_at timestamptz,
    proof_id text unique references commerce_proofs,
    check (proof_id is null or due_at is not null)
  )`,
  `create index proof_loops_due on proof_loops (due_at) where due_at is not null and proof_id is null`,
  ...guard('proof_loops', {
    deleted: 'a loop is never deleted',
    inserted: {
      'a loop begins with the task of its agent, unproven': `new.due_at is not null or new.agent_id is distinct from (select t.agent_id from tasks t where t.task_id = new.task_id)`,
    },
    updated: {
      'a loop is proven once and stays as it was begun': `to_jsonb(new) - ${written} <> to_jsonb(old) - ${written} or old.proof_id is not null`,
      'a loop is proven when its task has closed': `not exists (select from task_events e where e.task_id = new.task_id and e.event = 'closed')`,
    },
  }),
]
