import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

type TaskRow = Selectable<Database['tasks']>

/** Whether it is a sandbox run of a caller without an agent. */
export const isPublicSandbox = ({
  agent_id,
  usage,
}: Pick<TaskRow, 'agent_id' | 'usage'>): boolean => agent_id === null && usage === 'synthetic'

/** The same of the rows of a query over `tasks`. */
export const publicSandbox: RawBuilder<boolean> = sql`(agent_id is null and usage = 'synthetic')`

/** The states in which such a run waits until its caller recovers it. */
export const stoppedStates: readonly TaskRow['state'][] = [
  'evidence_partial',
  'exception_open',
  'replay_ready',
]

/** Such runs that have been stopped for this long, longest first. */
export async function listStoppedSandboxRuns(
  tx: Tx,
  keepMs: number,
  most: number,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('tasks')
    .select('task_id')
    .where('state', '<>', 'closed')
    .where('state', 'in', stoppedStates)
    .where(publicSandbox)
    .where('changed_at', '<', sql<Date>`clock_timestamp() - ${keepMs} * interval '1 millisecond'`)
    .orderBy('changed_at')
    .limit(most)
    .execute()
  return rows.map(({ task_id }) => task_id)
}
