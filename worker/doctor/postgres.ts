import type { Config } from '../../activities/config.ts'
import { createDatabase, isUnavailable } from '../../activities/store/db.ts'
import { databaseSkewMs, migrationsApplied } from '../../activities/store/health.ts'
import { describeLanes, type LaneHealth, readLanes } from '../../activities/store/lane-health.ts'
import { latestMigration } from '../../activities/store/migrate.ts'
import { type RoleHealth, readRoles } from '../../activities/store/role-health.ts'
import { databaseRoles, roleName } from '../../activities/store/roles.ts'
import { type Check, type Finding, fault, fine, look, warning } from './check.ts'

const ANSWERS = 'Start Postgres, or correct DATABASE_URL.'
const ROLES_PAGE = 'see docs/operations.md, Database roles.'
const SKEW_MS_MAX = 5_000

/** Postgres answers, has every migration, and agrees with this machine about the time; and by its rows no gas wallet is jammed. */
export async function checkPostgres(config: Pick<Config, 'DATABASE_URL' | 'LANE_JAM_AFTER_MS'>): Promise<Check[]> {
  const url = config.DATABASE_URL
  const settings = { url, applicationName: 'agent-rails doctor', poolSize: 2 }
  const { db, close } = createDatabase({ ...settings, connectTimeoutMs: 3_000, queryTimeoutMs: 3_000 })
  try {
    return await Promise.all([
      look('postgres and its clock', ANSWERS, async () => judgeSkew(await databaseSkewMs(db))),
      look('migrations', ANSWERS, async () =>
        judgeMigrations(await migrationsApplied(db, latestMigration).catch(whenMissing(false))),
      ),
      look('database roles', ANSWERS, async () => judgeRoles(await readRoles(db))),
      look('lanes of the gas wallets', 'Correct Postgres first.', async () =>
        judgeLanes(await readLanes(db, config.LANE_JAM_AFTER_MS).catch(whenMissing([]))),
      ),
    ])
  } finally {
    await close()
  }
}

/** Judges how far Postgres' clock is from this machine's: up to 5 s (payout.md, Clocks). */
export function judgeSkew(ms: number): Finding {
  const text = `answers; its clock is ${ms} ms from ours`
  if (Math.abs(ms) <= SKEW_MS_MAX) return fine(text)
  return fault(text, 'Let both machines follow the same time servers (chrony, systemd-timesyncd).')
}

/** Judges the lanes: a jam is a warning, since it heals by itself once a gas wallet can pay and the chain makes blocks. */
export function judgeLanes(lanes: readonly LaneHealth[]): Finding {
  const text = describeLanes(lanes)
  if (!lanes.some(({ jammed }) => jammed)) return fine(text)
  return warning(
    text,
    'See that the gas wallet has ether and the chain makes blocks; docs/operations.md tells each jam.',
  )
}

/** Judges the database roles: a process that connects as another user could do more than it needs. */
export function judgeRoles({ user, missing, differences }: RoleHealth): Finding {
  if (missing.length > 0)
    return fault(`${missing.join(', ')} missing`, `Create them, then run node dist/worker/migrate.js; ${ROLES_PAGE}`)
  if (differences.length > 0)
    return fault(
      differences.join('; '),
      `Run node dist/worker/migrate.js, which grants what is declared; ${ROLES_PAGE}`,
    )
  const names = databaseRoles.map(roleName)
  if (!names.includes(user)) return warning(`connected as ${user}`, `Let DATABASE_URL name a role; ${ROLES_PAGE}`)
  return fine(`connected as ${user}; ${names.length} roles, as declared`)
}

function judgeMigrations(applied: boolean): Finding {
  if (applied) return fine(`at ${latestMigration}`)
  return fault(`${latestMigration} is not applied`, 'Run node dist/worker/migrate.js.')
}

/** A database that was never migrated, or not to the end, lacks tables or columns; that is told by another check. */
function whenMissing<T>(instead: T) {
  return (error: unknown): T => {
    if (isUnavailable(error) || !/does not exist/.test(String(error))) throw error
    return instead
  }
}
