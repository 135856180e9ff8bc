import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { listDueLoops, type ProofLoopRow, setProofDue } from '../store/commerce/proof-loops.ts'
import type { Database } from '../store/schema/schema.ts'

const PAGE = 100
/** One that fails lets the others go first. */
const AGAIN_SECONDS = 600

/** Has the packages of closed loops proven. */
export async function proveLoops(
  db: Kysely<Database>,
  log: Logger,
  prove: (loop: ProofLoopRow) => Promise<void>,
): Promise<void> {
  for (const loop of await listDueLoops(db, PAGE))
    await prove(loop).catch(async (error: unknown) => {
      const { task_id } = loop
      log.warn({ task_id, error: String(error) }, 'a later sweep proves this package')
      await setProofDue(db, task_id, AGAIN_SECONDS)
    })
}
