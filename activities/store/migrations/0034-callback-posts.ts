import { type Kysely, sql } from 'kysely'

/** The requests of callbacks that were sent in each UTC day: of each owner, of all without trust, and of all trusted ones. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table callback_posts (
    scope text not null,
    day date not null,
    posts bigint not null check (posts >= 0),
    primary key (scope, day)
  )`,
  `alter table callback_deliveries add column held_back_until timestamptz`,
]
