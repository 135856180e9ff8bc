import { statfs } from 'node:fs/promises'
import { keepFresh } from '../../activities/chain/shared-reading.ts'
import type { Config } from '../../activities/config/config.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { databaseBytes } from '../../activities/store/postgres/health.ts'
import type { TemporalClient } from '../../temporal/connection.ts'
import { taskQueues } from '../../temporal/queues.ts'
import { listPollers } from '../../temporal/readiness.ts'
import type { Gauges } from '../http/metrics.ts'
import type { HealthCommands } from '../registry/documents.ts'

type Readings = {
  db: Tx
  client: TemporalClient
  health: Pick<HealthCommands, 'dependencies'>
  config: Pick<Config, 'INPUT_SPACE_PATH' | 'RECONCILE_EVERY_MS'>
}

/** Scrapes within this time share one reading. */
const FRESH_MS = 5_000
/** The size of a database takes a look at each of its files. */
const SIZE_FRESH_MS = 60_000

/** The gauges of what the service stands on: its dependencies, its workers, and the disk of Postgres. */
export function processGauges({ db, client, health, config }: Readings): Gauges {
  const dependencies = keepFresh(health.dependencies, FRESH_MS)
  const pollers = keepFresh(() => countAll(client), FRESH_MS)
  const size = keepFresh(() => databaseBytes(db), SIZE_FRESH_MS)
  return {
    agent_rails_dependency_up: {
      help: '1 where a dependency of this process is well, as /readyz says; 0 where calls fail for it.',
      label: 'dependency',
      read: async () =>
        new Map(Object.entries(await dependencies()).map(([name, { ok }]) => [name, Number(ok)])),
    },
    agent_rails_queue_pollers: {
      help: 'Workers that polled a task queue in the last minute.',
      label: 'queue',
      read: pollers,
    },
    agent_rails_database_bytes: { help: 'Size of the database.', read: size },
    agent_rails_database_disk_free_bytes: {
      help: 'Free bytes of the disk of a local Postgres, by INPUT_SPACE_PATH; none where that is not set.',
      read: () => freeBytes(config.INPUT_SPACE_PATH),
    },
    agent_rails_reconcile_every_seconds: {
      help: 'Time between two scheduled reconciliations.',
      read: async () => config.RECONCILE_EVERY_MS / 1000,
    },
  }
}

async function countAll(client: TemporalClient): Promise<Map<string, number>> {
  const counts = Object.entries(taskQueues).map(async ([taskQueue, kind]) => {
    const polled = await listPollers(client, { taskQueue, kind, ms: 1_000 })
    return [taskQueue, polled.length] as const
  })
  return new Map(await Promise.all(counts))
}

async function freeBytes(path: string): Promise<number | undefined> {
  if (path === '') return undefined
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}
