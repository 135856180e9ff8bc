import { type Kysely, sql } from 'kysely'

/** Work that goes over a limit ends its step; how often it was begun is counted, so that none is begun for ever. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table step_attempts (
    run_id text not null references runs,
    attempt integer not null,
    round integer not null,
    step text not null check (step in ('worker','validator')),
    begun integer not null check (begun between 0 and 3),
    primary key (run_id, attempt, round, step)
  )`,
  `alter table loop_steps drop constraint loop_steps_verdict_check,
    add constraint loop_steps_verdict_check check (verdict in ('done','refused','too_complex','gaps','revise','reject')),
    add constraint loop_steps_too_complex_check check (verdict <> 'too_complex' or step in ('worker','validator'))`,
  `alter table task_exceptions drop constraint task_exceptions_code_check,
    add constraint task_exceptions_code_check check (code in ('evidence_gap','input_invalid','input_too_complex','worker_failed',
      'validator_failed','payment_reversed','credit_mismatch','callback_failed','deadline_passed','operator_hold','caller_dispute'))`,
]
