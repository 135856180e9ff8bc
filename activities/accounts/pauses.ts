import { refuse } from '#domain/core/errors.ts'
import { findPause, shareSwitches } from '../store/operators/controls.ts'
import type { Tx } from '../store/postgres/db.ts'

/** The rail and agent of new work, where they are known. */
export type NewWork = { rail?: string; agentId?: string | null }

/**
 * Throws 503 `paused` while the service, the rail or the agent takes no new work; work that has begun continues. In a transaction,
 * what it writes is committed before a pause or sees it.
 */
export async function assertNotPaused(tx: Tx, { rail, agentId }: NewWork = {}): Promise<void> {
  await shareSwitches(tx)
  const reason = await findPause(tx, {
    service: '',
    ...(rail === undefined ? {} : { rail }),
    ...(agentId == null ? {} : { agent: agentId }),
  })
  if (reason !== undefined) throw refuse('paused', { detail: `paused: ${reason}` })
}

/** Whether no pause of its rail or agent holds a queued task. */
export async function mayBegin(
  tx: Tx,
  { rail, agent_id }: { rail: string; agent_id: string | null },
): Promise<boolean> {
  await shareSwitches(tx)
  return (
    (await findPause(tx, { rail, ...(agent_id === null ? {} : { agent: agent_id }) })) === undefined
  )
}
