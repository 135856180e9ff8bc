import { Kysely, PostgresDialect } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { createDatabase as createMissing } from './create-database.ts'
import { poolOf } from './db.ts'
import * as payoutRail from './migrations/0001-payout-rail.ts'
import * as controls from './migrations/0002-controls.ts'
import * as laneJams from './migrations/0003-lane-jams.ts'
import * as reconciliation from './migrations/0004-reconciliation.ts'
import * as callInput from './migrations/0005-call-input.ts'
import * as agents from './migrations/0006-agents.ts'
import * as money from './migrations/0007-money.ts'
import * as tasks from './migrations/0008-tasks.ts'
import * as callbacks from './migrations/0009-callbacks.ts'
import * as inputs from './migrations/0010-inputs.ts'
import * as inbox from './migrations/0011-inbox.ts'
import * as taskCredits from './migrations/0012-task-credits.ts'
import * as runNames from './migrations/0013-run-names.ts'
import * as walletLimits from './migrations/0014-wallet-limits.ts'
import * as workOrders from './migrations/0015-work-orders.ts'
import * as checkouts from './migrations/0016-checkouts.ts'
import * as unloggedLeases from './migrations/0017-unlogged-leases.ts'
import * as grantFree from './migrations/0018-grant-free.ts'
import * as confirmedTotals from './migrations/0019-confirmed-totals.ts'
import * as stepAttempts from './migrations/0020-step-attempts.ts'
import * as uploadRoom from './migrations/0021-upload-room.ts'
import * as callers from './migrations/0022-callers.ts'
import * as principalSignatures from './migrations/0023-principal-signatures.ts'
import * as keyStanding from './migrations/0024-key-standing.ts'
import * as returnedMoney from './migrations/0025-returned-money.ts'
import * as payoutCallbacks from './migrations/0026-payout-callbacks.ts'
import * as roles from './migrations/0030-roles.ts'
import * as callbackPosts from './migrations/0034-callback-posts.ts'
import * as runtimeRecords from './migrations/0037-runtime-records.ts'
import * as oneWallet from './migrations/0038-one-wallet.ts'
import { grantPrivileges } from './roles.ts'
import type { Database } from './schema.ts'

/** Every migration in the order of its number; they only go forward. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-payout-rail': payoutRail,
  '0002-controls': controls,
  '0003-lane-jams': laneJams,
  '0004-reconciliation': reconciliation,
  '0005-call-input': callInput,
  '0006-agents': agents,
  '0007-money': money,
  '0008-tasks': tasks,
  '0009-callbacks': callbacks,
  '0010-inputs': inputs,
  '0011-inbox': inbox,
  '0012-task-credits': taskCredits,
  '0013-run-names': runNames,
  '0014-wallet-limits': walletLimits,
  '0015-work-orders': workOrders,
  '0016-checkouts': checkouts,
  '0017-unlogged-leases': unloggedLeases,
  '0018-grant-free': grantFree,
  '0019-confirmed-totals': confirmedTotals,
  '0020-step-attempts': stepAttempts,
  '0021-upload-room': uploadRoom,
  '0022-callers': callers,
  '0023-principal-signatures': principalSignatures,
  '0024-key-standing': keyStanding,
  '0025-returned-money': returnedMoney,
  '0026-payout-callbacks': payoutCallbacks,
  '0030-roles': roles,
  '0034-callback-posts': callbackPosts,
  '0037-runtime-records': runtimeRecords,
  '0038-one-wallet': oneWallet,
}

/** The name of the last migration that this code knows. */
export const latestMigration: string = Object.keys(migrations).sort().at(-1) ?? ''

/**
 * Applies what is missing, all or nothing, grants each role what it may do, and returns the names of what it applied. Processes that
 * migrate at once wait for each other on an advisory lock, so `db` needs a query timeout longer than the migrations take.
 */
export async function migrateToLatest(db: Kysely<Database>): Promise<string[]> {
  const own = new Kysely<Database>({ dialect: new PostgresDialect({ pool: poolOf(db) }) })
  const migrator = new Migrator({ db: own, provider: { getMigrations: async () => ({ ...migrations }) } })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  await grantPrivileges(db)
  return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName)
}

/** Creates the database that `url` names when the server has none; several processes may do so at once. */
export async function ensureDatabase(url: string): Promise<void> {
  try {
    await createMissing(url)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && createdMeanwhile.has(error.code))) throw error
  }
}

// duplicate_database, and the unique_violation in the catalog that the same race can end in.
const createdMeanwhile = new Set<unknown>(['42P04', '23505'])
