import type { Config } from '../../activities/config.ts'
import { listPauses } from '../../activities/store/controls.ts'
import { createDatabase } from '../../activities/store/db.ts'
import { pauseNote } from '../../workflows/domain/controls.ts'
import { type Check, fine, look } from './check.ts'

/** What is paused: told, and no fault, since an operator wanted it. */
export async function checkSwitches(config: Pick<Config, 'DATABASE_URL'>): Promise<Check[]> {
  const settings = { url: config.DATABASE_URL, applicationName: 'agent-rails doctor', poolSize: 2 }
  const { db, close } = createDatabase({ ...settings, connectTimeoutMs: 3_000, queryTimeoutMs: 3_000 })
  try {
    // A database that is away or has no tables is told by its own checks.
    const pauses = listPauses(db).then((active) => pauseNote(active) ?? 'nothing is paused')
    return [await look('switches', '', async () => fine(await pauses.catch(() => 'not known')))]
  } finally {
    await close()
  }
}
