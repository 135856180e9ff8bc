import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { schema } from '../migrations/0001-schema.ts'
import { receipts } from '../migrations/0002-receipts.ts'
import { log } from '../migrations/0003-log.ts'
import { keys } from '../migrations/0004-keys.ts'
import { payments } from '../migrations/0005-payments.ts'
import { calls } from '../migrations/0006-calls.ts'
import { payouts } from '../migrations/0007-payouts.ts'
import { agents } from '../migrations/0008-agents.ts'
import { inputs } from '../migrations/0009-inputs.ts'
import { credit } from '../migrations/0010-credit.ts'
import { postings } from '../migrations/0011-postings.ts'
import { callbacks } from '../migrations/0012-callbacks.ts'
import { tasks } from '../migrations/0013-tasks.ts'
import { runs } from '../migrations/0014-runs.ts'
import { authority } from '../migrations/0015-authority.ts'
import { workOrders } from '../migrations/0016-work-orders.ts'
import { resolver } from '../migrations/0017-resolver.ts'
import { commerce } from '../migrations/0018-commerce.ts'
import { production } from '../migrations/0019-production.ts'
import { accounts } from '../migrations/0020-accounts.ts'
import { pilots } from '../migrations/0021-pilots.ts'
import { prospects } from '../migrations/0022-prospects.ts'
import { listings } from '../migrations/0023-listings.ts'
import { harness } from '../migrations/0024-harness.ts'
import { reconciliation } from '../migrations/0025-reconciliation.ts'
import type { Database } from '../schema/schema.ts'
import { createDatabase as createMissing } from './create-database.ts'
import { poolOf } from './db.ts'
import { grantPrivileges } from './roles.ts'
import { digestOf, refuseMigration, type Schema, storeVersion } from './schema-version.ts'

/** The statements of every migration, in order. Migrations only go forward. */
export const migrations: Readonly<Record<string, readonly string[]>> = {
  '0001-schema': schema,
  '0002-receipts': receipts,
  '0003-log': log,
  '0004-keys': keys,
  '0005-payments': payments,
  '0006-calls': calls,
  '0007-payouts': payouts,
  '0008-agents': agents,
  '0009-inputs': inputs,
  '0010-credit': credit,
  '0011-postings': postings,
  '0012-callbacks': callbacks,
  '0013-tasks': tasks,
  '0014-runs': runs,
  '0015-authority': authority,
  '0016-work-orders': workOrders,
  '0017-resolver': resolver,
  '0018-commerce': commerce,
  '0019-production': production,
  '0020-accounts': accounts,
  '0021-pilots': pilots,
  '0022-prospects': prospects,
  '0023-listings': listings,
  '0024-harness': harness,
  '0025-reconciliation': reconciliation,
}

/** The name of the last migration that this code knows. */
export const latestMigration: string = Object.keys(migrations).sort().at(-1) ?? ''

/**
 * The schema of this release. A release that changes the schema adds a migration and raises `version`; it raises `oldestProgram` to the
 * version of the oldest release that still works on it.
 */
export const ourSchema: Schema = {
  version: 1,
  oldestProgram: 1,
  digests: Object.fromEntries(
    Object.entries(migrations).map(([name, statements]) => [name, digestOf(statements)]),
  ),
}

/**
 * Applies the missing migrations in one transaction, grants the roles their privileges, and returns the names of the applied migrations.
 * Concurrent processes wait for each other on an advisory lock, so `db` needs a query timeout longer than the migrations take.
 */
export async function migrateToLatest(db: Kysely<Database>): Promise<string[]> {
  await refuseMigration(db, ourSchema)
  const own = new Kysely<Database>({ dialect: new PostgresDialect({ pool: poolOf(db) }) })
  const migrator = new Migrator({
    db: own,
    // Without it, the tables of a schema that `startFresh` renamed count as those of the migrator.
    migrationTableSchema: 'public',
    provider: { getMigrations: async () => asMigrations() },
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  await grantPrivileges(db)
  return (results ?? [])
    .filter((result) => result.status === 'Success')
    .map((result) => result.migrationName)
}

function asMigrations(): Record<string, Migration> {
  const named = Object.entries(migrations).map(([name, statements]): [string, Migration] => [
    name,
    {
      up: async (db) => {
        await runAll(db, statements)
        // In the transaction of the migrations: tables without their version would be those of another build.
        if (name === latestMigration) await storeVersion(db, ourSchema)
      },
    },
  ])
  return Object.fromEntries(named)
}

async function runAll(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Creates the database of `url` if it is missing. Several processes may do so at once. */
export async function ensureDatabase(url: string): Promise<void> {
  try {
    await createMissing(url)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && createdByAnother.has(error.code)))
      throw error
  }
}

// `duplicate_database`, and the `unique_violation` in the catalogue that the same race can cause.
const createdByAnother = new Set<unknown>(['42P04', '23505'])
