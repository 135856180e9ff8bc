import { sql } from 'kysely'
import type { RailKey } from '#domain/rails/rail.ts'
import { type LoopStep, loopSteps } from '#domain/tasks/controlled-loop.ts'
import type { Tx } from '../postgres/db.ts'

/** How many runs of a step are counted at most, so that a read costs the same however many runs there are. */
export const RUNS_COUNTED_MAX = 1_000

/** The runs that are at each step now; with a rail, those of it among the runs that are counted. */
export async function countAtSteps(
  tx: Tx,
  rail: RailKey | undefined,
): Promise<Record<LoopStep, number>> {
  const ofRail = sql`join tasks t on t.task_id = r.task_id and t.rail = ${rail ?? ''}`
  const { rows } = await sql<{ step: LoopStep; runs: number }>`
    select s.step, (select count(*)::int from (
        select task_id from runs where step = s.step limit ${RUNS_COUNTED_MAX}
      ) r ${rail === undefined ? sql`` : ofRail}) as runs
    from unnest(${[...loopSteps]}::text[]) s(step)`.execute(tx)
  return Object.fromEntries(rows.map(({ step, runs }) => [step, runs])) as Record<LoopStep, number>
}
