import { createHash, randomBytes } from 'node:crypto'
import { taskDepsOf } from '../../activities/container.ts'
import { loadKeyRings } from '../../activities/keys/key-ring.ts'
import { openTaskRows } from '../activities/tasks/fixture.ts'
import type { ComposedApis } from './composed-api.ts'

/** The token of a sandbox run without an agent that waits for evidence. */
export async function tokenOfStopped({ config, db }: Pick<ComposedApis, 'config' | 'db'>) {
  const statusToken = `tk_${randomBytes(32).toString('base64url')}`
  const named = `task-${createHash('sha256').update(statusToken).digest('hex')}`
  const keys = loadKeyRings(config.SIGNING_KEYS_FILE)
  const rows = openTaskRows(db, taskDepsOf(config, keys, db))
  await rows.taskIn('evidence_partial', { agent_id: null, callback_url: null }, { named })
  return statusToken
}
