import { type Kysely, sql } from 'kysely'

/** An agent has one allowance wallet; there is no second tier of wallets. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `drop index allowance_wallets_free`,
  `alter table allowance_wallets drop column tier`,
  `create unique index allowance_wallets_agent on allowance_wallets (agent_id)`,
]
