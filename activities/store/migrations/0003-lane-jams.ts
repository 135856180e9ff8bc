import { type Kysely, sql } from 'kysely'

/** Since when a gas wallet's oldest open nonce is the same one, and since when that is known as a jam. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`alter table gas_wallets
      add column moved_at timestamptz not null default clock_timestamp(),
      add column jammed_at timestamptz`)
    .execute(db)
}
