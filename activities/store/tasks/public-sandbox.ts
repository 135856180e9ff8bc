import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../schema/schema.ts'

type TaskRow = Selectable<Database['tasks']>

/** Whether it is a sandbox run of a caller without an agent. */
export const isPublicSandbox = ({
  agent_id,
  usage,
}: Pick<TaskRow, 'agent_id' | 'usage'>): boolean => agent_id === null && usage === 'synthetic'

/** The same of the rows of a query over `tasks`. */
export const publicSandbox: RawBuilder<boolean> = sql`(agent_id is null and usage = 'synthetic')`
