import { type Kysely, sql } from 'kysely'

/** What a workflow's step needs of a call stands in the call's own row until it is answered; there is nothing left to stage. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table calls add column input json`,
  `alter table calls add constraint calls_input_check check (input is null or grant_state = 'open')`,
  `drop table staged_inputs`,
]
