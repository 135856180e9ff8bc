import { statfs } from 'node:fs/promises'
import type { Config } from '../../activities/config/config.ts'
import {
  describeGasWallets,
  type GasWalletHealth,
  readGasWallets,
} from '../../activities/store/gas-wallets/health.ts'
import { type Connections, readConnections } from '../../activities/store/postgres/connections.ts'
import { createDatabase, isUnavailable, type Tx } from '../../activities/store/postgres/db.ts'
import {
  databaseBytes,
  databaseSkewMs,
  freeBytesMin,
  probeWrites,
} from '../../activities/store/postgres/health.ts'
import { ourSchema } from '../../activities/store/postgres/migrate.ts'
import { type RoleHealth, readRoles } from '../../activities/store/postgres/role-health.ts'
import { databaseRoles, roleName } from '../../activities/store/postgres/roles.ts'
import { findMisfit, type SchemaError } from '../../activities/store/postgres/schema-version.ts'
import { type OpenWork, readOpenWork } from '../../activities/store/reconciliation/open-work.ts'
import { type Check, type Finding, fault, fine, runCheck, warning } from './check.ts'

const ANSWERS = 'Start Postgres, or correct DATABASE_URL.'
const WRITES = 'Free space on the disk of Postgres, or connect to the server that writes.'
const ROLES_PAGE = 'see docs/operations.md, Database roles.'
const CORRECT_FIRST = 'Correct Postgres first.'
const SKEW_MS_MAX = 5_000
/** A batch of the log takes a second; the signer or a worker may restart meanwhile. */
const LOG_SECONDS_MAX = 120
/** What a reconciliation may take. */
const RECONCILE_SECONDS_MAX = 900

/** Checks that Postgres answers, its clock, its migrations and roles, and the queues of the gas wallets. */
export async function checkPostgres(
  config: Pick<
    Config,
    'DATABASE_URL' | 'GAS_WALLET_JAM_AFTER_MS' | 'INPUT_SPACE_PATH' | 'RECONCILE_EVERY_MS'
  >,
): Promise<Check[]> {
  const url = config.DATABASE_URL
  const settings = { url, applicationName: 'agent-rails doctor', poolSize: 2 }
  const { db, close } = createDatabase({
    ...settings,
    connectTimeoutMs: 3_000,
    queryTimeoutMs: 3_000,
  })
  try {
    return await Promise.all([
      runCheck('postgres and its clock', ANSWERS, async () => checkSkew(await databaseSkewMs(db))),
      runCheck('disk of postgres', WRITES, async () => {
        await probeWrites(db)
        return findSpace(config.INPUT_SPACE_PATH, await databaseBytes(db))
      }),
      runCheck('migrations', ANSWERS, async () => checkSchema(await findMisfit(db, ourSchema))),
      runCheck('connections', ANSWERS, async () => checkConnections(await readConnections(db))),
      runCheck('database roles', ANSWERS, async () => checkRoles(await readRoles(db))),
      runCheck('transparency log', CORRECT_FIRST, async () =>
        checkLog(await ageOf(db, 'log_oldest_seconds')),
      ),
      runCheck('reconciliation', CORRECT_FIRST, async () =>
        checkReconciliation(
          await ageOf(db, 'reconciliation_age_seconds'),
          config.RECONCILE_EVERY_MS / 1000,
        ),
      ),
      runCheck('gas wallet queues', CORRECT_FIRST, async () =>
        checkGasWalletQueues(
          await readGasWallets(db, config.GAS_WALLET_JAM_AFTER_MS).catch(whenMissing([])),
        ),
      ),
    ])
  } finally {
    await close()
  }
}

/** `path` is on the disk of a local Postgres; that of a server elsewhere is not visible from here before it is full. */
async function findSpace(path: string, databaseSize: number): Promise<Finding> {
  if (path === '') return fine('Postgres can write; its free space is watched where it runs')
  const { bavail, bsize } = await statfs(path)
  return checkSpace(bavail * bsize, databaseSize)
}

/** The limit is that of the alert DiskLow. */
export function checkSpace(freeBytes: number, databaseSize: number): Finding {
  const text = `Postgres can write; ${gib(freeBytes)} GiB are free, its database has ${gib(databaseSize)} GiB`
  return freeBytes < freeBytesMin(databaseSize) ? fault(text, WRITES) : fine(text)
}

const gib = (bytes: number): string => (bytes / 1024 ** 3).toFixed(1)

/** The clock of Postgres may differ from ours by at most 5 s. */
export function checkSkew(ms: number): Finding {
  const text = `answers; its clock is ${ms} ms from ours`
  if (Math.abs(ms) <= SKEW_MS_MAX) return fine(text)
  return fault(text, 'Let both machines follow the same time servers (chrony, systemd-timesyncd).')
}

/** Every process must be able to open all of its connections at once. */
export function checkConnections({ allowed, processes, budget, others }: Connections): Finding {
  const text = `Postgres allows ${allowed}; ${processes} processes open at most ${budget}, other programs have ${others}`
  if (budget + others <= allowed) return fine(text)
  return fault(text, 'Lower DATABASE_CONNECTIONS, run fewer processes, or raise max_connections.')
}

async function ageOf(db: Tx, measure: OpenWork): Promise<number | undefined> {
  const rows = await readOpenWork(db).catch(whenMissing([]))
  return rows.find((row) => row.measure === measure)?.value
}

/** Receipts reach the transparency log within seconds. */
function checkLog(oldestSeconds = 0): Finding {
  if (oldestSeconds <= LOG_SECONDS_MAX) return fine('every receipt reaches it')
  return fault(
    `stopped: a receipt has waited for ${Math.round(oldestSeconds)} s`,
    'Read why sequenceLog fails in the log of a worker: start the signer, or see docs/operations.md, Transparency log.',
  )
}

/** One that is due may still run. */
function checkReconciliation(ageSeconds: number | undefined, everySeconds: number): Finding {
  if (ageSeconds === undefined) return fine('not known')
  const text = `the last one was completed ${Math.round(ageSeconds)} s ago`
  if (ageSeconds <= 2 * everySeconds + RECONCILE_SECONDS_MAX) return fine(text)
  return fault(
    text,
    'Run npx agent-rails recover reconcile, then see whether the schedule reconciliation is paused in Temporal.',
  )
}

/** A jam is only a warning: it ends by itself when the gas wallet can pay and the chain produces blocks. */
export function checkGasWalletQueues(gasWallets: readonly GasWalletHealth[]): Finding {
  const text = describeGasWallets(gasWallets)
  if (!gasWallets.some(({ jammed }) => jammed)) return fine(text)
  return warning(
    text,
    'Check that the gas wallet has ether and the chain produces blocks; docs/operations.md explains each jam.',
  )
}

/** A process that connects as another user could do more than it needs. */
function checkRoles({ user, missing, differences, publicRights }: RoleHealth): Finding {
  if (missing.length > 0)
    return fault(
      `${missing.join(', ')} missing`,
      `Create them, then run node dist/worker/migrate.js; ${ROLES_PAGE}`,
    )
  if (differences.length > 0)
    return fault(
      differences.join('; '),
      `Run node dist/worker/migrate.js, which grants what is declared; ${ROLES_PAGE}`,
    )
  if (publicRights.length > 0)
    return warning(
      publicRights.join('; '),
      `Run node dist/worker/migrate.js as a superuser, which revokes it; ${ROLES_PAGE}`,
    )
  const names = databaseRoles.map(roleName)
  if (!names.includes(user))
    return warning(`connected as ${user}`, `Connect as a role in DATABASE_URL; ${ROLES_PAGE}`)
  return fine(`connected as ${user}; ${names.length} roles, as declared`)
}

function checkSchema(misfit: SchemaError | undefined): Finding {
  if (misfit === undefined) return fine(`this program may use schema ${ourSchema.version}`)
  const remedy = `${misfit.remedy.charAt(0).toUpperCase()}${misfit.remedy.slice(1)}`
  return fault(misfit.fault, `${remedy}; see docs/operations.md, Upgrades.`)
}

/** A database that is not fully migrated lacks tables or columns; the check of migrations reports that. */
function whenMissing<T>(instead: T) {
  return (error: unknown): T => {
    if (isUnavailable(error) || !/does not exist/.test(String(error))) throw error
    return instead
  }
}
