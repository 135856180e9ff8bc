import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { receipts } from '../migrations/0001-receipts.ts'
import { keys } from '../migrations/0002-keys.ts'
import { payments } from '../migrations/0003-payments.ts'
import { calls } from '../migrations/0004-calls.ts'
import { payouts } from '../migrations/0005-payouts.ts'
import { gasWallets } from '../migrations/0006-gas-wallets.ts'
import { agents } from '../migrations/0007-agents.ts'
import { agentInputs } from '../migrations/0008-agent-inputs.ts'
import { credit } from '../migrations/0009-credit.ts'
import { tasks } from '../migrations/0010-tasks.ts'
import { callbacks } from '../migrations/0011-callbacks.ts'
import { workOrders } from '../migrations/0012-work-orders.ts'
import { reconciliation } from '../migrations/0013-reconciliation.ts'
import { taskRecords } from '../migrations/0014-task-records.ts'
import { trust } from '../migrations/0016-trust.ts'
import { authority } from '../migrations/0017-authority.ts'
import { transparencyLog } from '../migrations/0018-transparency-log.ts'
import { ap2 } from '../migrations/0019-ap2.ts'
import { commerce } from '../migrations/0020-commerce.ts'
import { services } from '../migrations/0021-services.ts'
import { agentProfiles } from '../migrations/0022-agent-profiles.ts'
import { production } from '../migrations/0025-production.ts'
import { models } from '../migrations/0026-models.ts'
import { harness } from '../migrations/0027-harness.ts'
import { directories } from '../migrations/0028-directories.ts'
import { agentIdentities } from '../migrations/0029-agent-identities.ts'
import { walletDebts } from '../migrations/0030-wallet-debts.ts'
import { customerRuns } from '../migrations/0032-customer-runs.ts'
import { evidence } from '../migrations/0035-evidence.ts'
import { loops } from '../migrations/0037-loops.ts'
import { prospects } from '../migrations/0038-prospects.ts'
import { pilots } from '../migrations/0039-pilots.ts'
import { accountControls } from '../migrations/0040-account-controls.ts'
import { trustListings } from '../migrations/0041-trust-listings.ts'
import { fees } from '../migrations/0043-fees.ts'
import { activations } from '../migrations/0044-activations.ts'
import { pilotActivations } from '../migrations/0045-pilot-activations.ts'
import { clearings } from '../migrations/0047-clearings.ts'
import { customerWorkflows } from '../migrations/0048-customer-workflows.ts'
import { exchange } from '../migrations/0049-exchange.ts'
import { productionRuns } from '../migrations/0051-production-runs.ts'
import { boundedReads } from '../migrations/0054-bounded-reads.ts'
import { prospectRecords } from '../migrations/0056-prospect-records.ts'
import { pilotNextSteps } from '../migrations/0057-pilot-next-steps.ts'
import { agentPassports } from '../migrations/0058-agent-passports.ts'
import { schemaVersion } from '../migrations/0059-schema-version.ts'
import { lateWakes } from '../migrations/0060-late-wakes.ts'
import { operatorsActs } from '../migrations/0061-operators-acts.ts'
import type { Database } from '../schema/schema.ts'
import { createDatabase as createMissing } from './create-database.ts'
import { poolOf } from './db.ts'
import { grantPrivileges } from './roles.ts'
import { digestOf, refuseMigration, type Schema, storeVersion } from './schema-version.ts'

/** The statements of every migration, in order. Migrations only go forward. */
export const migrations: Readonly<Record<string, readonly string[]>> = {
  '0001-receipts': receipts,
  '0002-keys': keys,
  '0003-payments': payments,
  '0004-calls': calls,
  '0005-payouts': payouts,
  '0006-gas-wallets': gasWallets,
  '0007-agents': agents,
  '0008-agent-inputs': agentInputs,
  '0009-credit': credit,
  '0010-tasks': tasks,
  '0011-callbacks': callbacks,
  '0012-work-orders': workOrders,
  '0013-reconciliation': reconciliation,
  '0014-task-records': taskRecords,
  '0016-trust': trust,
  '0017-authority': authority,
  '0018-transparency-log': transparencyLog,
  '0019-ap2': ap2,
  '0020-commerce': commerce,
  '0021-services': services,
  '0022-agent-profiles': agentProfiles,
  '0025-production': production,
  '0026-models': models,
  '0027-harness': harness,
  '0028-directories': directories,
  '0029-agent-identities': agentIdentities,
  '0030-wallet-debts': walletDebts,
  '0032-customer-runs': customerRuns,
  '0035-evidence': evidence,
  '0037-loops': loops,
  '0038-prospects': prospects,
  '0039-pilots': pilots,
  '0040-account-controls': accountControls,
  '0041-trust-listings': trustListings,
  '0043-fees': fees,
  '0044-activations': activations,
  '0045-pilot-activations': pilotActivations,
  '0047-clearings': clearings,
  '0048-customer-workflows': customerWorkflows,
  '0049-exchange': exchange,
  '0051-production-runs': productionRuns,
  '0054-bounded-reads': boundedReads,
  '0056-prospect-records': prospectRecords,
  '0057-pilot-next-steps': pilotNextSteps,
  '0058-agent-passports': agentPassports,
  '0059-schema-version': schemaVersion,
  '0060-late-wakes': lateWakes,
  '0061-operators-acts': operatorsActs,
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
