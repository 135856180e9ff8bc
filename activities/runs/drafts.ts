import { Drafts, type ModelOutput } from '#domain/rails/drafts/draft.ts'
import { withTexts } from '#domain/rails/input/documents.ts'

import type { DraftedRound, RunDrafts } from '../../workflows/runs/activities.ts'
import { countingCompute } from '../store/calls/compute.ts'
import { insertModelCalls, insertRunDrafts, listModelOutputs } from '../store/model/model-calls.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import { latestOutput, requireRun } from '../store/runs/runs.ts'
import { requireTask, type TaskRow } from '../store/tasks/tasks.ts'
import { promptsIn } from './caged-answers.ts'
import { whileAlive } from './heartbeat.ts'
import { readRunInput } from './input.ts'
import type { Job } from './isolation/job.ts'
import { queueOf, type RunPools } from './isolation/pools.ts'

type DraftDeps = { readonly db: Tx; readonly pools: RunPools }

/** What surrounds the calls of a model: which prompts a run has, and what its outputs come to. Both read hostile texts, in the pool. */
export function createDraftSteps({ db, pools }: DraftDeps): RunDrafts {
  return {
    planDrafts: (place) =>
      whileAlive(async ({ signal }) => {
        const asked = await askedOf(db, place)
        const prompts = promptsIn(await runIn({ db, pools }, asked, signal))
        await insertModelCalls(db, place.runId, prompts)
        return prompts.map(({ sha256 }) => sha256)
      }),
    keepDrafts: (place) =>
      whileAlive(async ({ signal }) => {
        const outputs = (await listModelOutputs(db, place.runId)).map(({ content }) => content)
        const asked = await askedOf(db, place, outputs)
        const made = Drafts.nullable().parse(await runIn({ db, pools }, asked, signal))
        if (made !== null) await transaction(db, (tx) => insertRunDrafts(tx, place, made))
      }),
  }
}

type Asked = { readonly job: Job; readonly task: TaskRow }

const runIn = (
  { db, pools }: DraftDeps,
  { job, task }: Asked,
  signal: AbortSignal,
): Promise<unknown> =>
  countingCompute(db, task.network, (spend) => queueOf(pools, { task, spend }).run(job, {}, signal))

async function askedOf(
  db: Tx,
  { runId, attempt }: DraftedRound,
  outputs: readonly ModelOutput[] | null = null,
): Promise<Asked> {
  const task = await requireTask(db, (await requireRun(db, runId)).task_id)
  const { rail, value, extractions } = await readRunInput(db, task)
  const work = await latestOutput(db, runId, attempt, 'worker')
  const input = withTexts(rail, value, extractions)
  const job = { kind: 'draft', rail: rail.key, input, work, outputs } as const
  return { job, task }
}
