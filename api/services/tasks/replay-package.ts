import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import { uploadDigestsOf } from '#domain/rails/input/uploads.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import {
  buildReplayPackage,
  type ReplayFile,
  type ReplayPackage,
  replayClaims,
  verifyInstructions,
} from '#domain/runs/replay-package.ts'
import { type MadePackage, signedFacts } from '#domain/runs/return-package.ts'
import { citedReceipts } from '#domain/verification/receipts.ts'
import { publishedKey } from '../../../activities/keys/published-key.ts'
import { listPublicKeys } from '../../../activities/store/keys/signing-keys.ts'
import { listModelOutputs } from '../../../activities/store/model/model-calls.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import {
  findReceipt,
  listReceipts,
  type Signer,
} from '../../../activities/store/receipts/receipts.ts'
import {
  findReturnPackage,
  findRun,
  listStepTimes,
  type ReturnPackageRow,
} from '../../../activities/store/runs/runs.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { liveContract } from '../../../activities/store/tasks/contracts.ts'
import { listTaskExceptions } from '../../../activities/store/tasks/task-exceptions.ts'
import {
  findDocument,
  listExtractions,
  listLedgerWithData,
  lockTask,
  type TaskRow,
} from '../../../activities/store/tasks/tasks.ts'
import { isDelivered } from './outcome.ts'

export type ReplayDeps = {
  readonly db: Kysely<Database>
  readonly issuer: string
  readonly signReplay: Signer<Record<string, unknown>>
}

/**
 * The signed replay package of a task as it stands now; the same ledger gives the same bytes. Throws 404 without the task, and
 * 409 `not_ready` before there is anything to replay: an exception, gaps that were found, or a result. A result that is not
 * delivered is named by its digest alone.
 */
export function readReplayPackage(deps: ReplayDeps, taskId: string): Promise<ReplayFile> {
  return transaction(deps.db, (tx) => replayFileOf(deps, tx, taskId))
}

/** As `readReplayPackage`, in the caller's transaction. */
export async function replayFileOf(
  { issuer, signReplay }: Pick<ReplayDeps, 'issuer' | 'signReplay'>,
  tx: Tx,
  taskId: string,
): Promise<ReplayFile> {
  // Held, so that ledger, receipts and steps are of one moment.
  const task = await lockTask(tx, taskId)
  if (task === undefined) throw refuse('not_found', { detail: 'no such task' })
  const replay_package = await recordOf(issuer, tx, task)
  const { exception_id, ledger } = replay_package
  if (exception_id === null && !ledger.some(({ event }) => event === 'result_produced'))
    throw refuse('not_ready', {
      detail: `the task is ${task.state}, and nothing stopped it`,
      next_action: 'Read the task until it is attested.',
      extra: { state: task.state },
    })
  const sign = await signReplay(tx)
  const { jws } = await sign(replayClaims(replay_package))
  return { replay_package, jws, verify_instructions: verifyInstructions }
}

/** Everything that proves a locked task, as it stands now. */
export const recordOf = async (issuer: string, tx: Tx, task: TaskRow): Promise<ReplayPackage> =>
  buildReplayPackage(await partsOf(tx, task, issuer))

async function partsOf(
  tx: Tx,
  task: TaskRow,
  issuer: string,
): Promise<Parameters<typeof buildReplayPackage>[0]> {
  const { task_id, run_id, resume_state } = task
  const run = run_id === null ? undefined : await findRun(tx, run_id)
  const ledger = await listLedgerWithData(tx, task_id)
  const exceptions = (await listTaskExceptions(tx, task_id))
    .filter(({ sequence }) => ledger[sequence - 1]?.to_state !== 'closed')
    .map(({ exception_id }) => exception_id)
  // An operational result leaves once it is charged, and with it what a model drafted.
  const isOut = task.usage !== 'operational' || (await isDelivered(tx, task_id))
  const made = isOut && run !== undefined ? await findReturnPackage(tx, run.run_id) : undefined
  const subjects = [task_id, ...(run === undefined ? [] : [run.run_id]), ...exceptions]
  return {
    issuer,
    task_id,
    rail: task.rail as RailKey,
    resume_state,
    ledger,
    exception_id: exceptions.at(-1) ?? null,
    from_step: run?.step ?? null,
    loop_steps: run === undefined ? [] : await loopOf(tx, run.run_id),
    receipts: await receiptsOf(tx, subjects, ledger),
    documents: [
      ...(await documentsOf(tx, task_id, ledger)),
      ...(await extractionsOf(tx, task)),
      ...(made === undefined ? [] : await modelOutputsOf(tx, made)),
    ],
    return_package: made === undefined ? null : packageOf(made),
    keys: {
      keys: (await listPublicKeys(tx)).filter(({ ring }) => ring === 'receipt').map(publishedKey),
    },
  }
}

async function loopOf(tx: Tx, runId: string): Promise<ReplayPackage['loop_steps']> {
  const steps = await listStepTimes(tx, runId)
  return steps.map(({ attempt, round, step, verdict, output_sha256 }) => ({
    attempt,
    round,
    step,
    verdict,
    output_sha256,
  }))
}

/** The chains of the task’s own subjects, and before them what else the ledger cites, such as the receipts of its credit. */
async function receiptsOf(
  tx: Tx,
  subjects: string[],
  ledger: ReplayPackage['ledger'],
): Promise<string[]> {
  const own = (await Promise.all(subjects.map((subject) => listReceipts(tx, subject)))).flat()
  const ids = new Set(own.map(({ receipt_id }) => receipt_id))
  const others = [...new Set(ledger.flatMap(citedReceipts))].filter((id) => !ids.has(id))
  const found = await Promise.all(others.map((receipt_id) => findReceipt(tx, { receipt_id })))
  return [...found.filter((row) => row !== undefined), ...own].map(({ jws }) => jws)
}

/** What the ledger names by digest: terms, inputs, and the run contract, which is stored with its contract. */
async function documentsOf(
  tx: Tx,
  taskId: string,
  ledger: ReplayPackage['ledger'],
): Promise<ReplayPackage['documents']> {
  const named = ledger.flatMap(({ data }) => [data['terms_sha256'], data['input_sha256']])
  const documents: ReplayPackage['documents'] = []
  for (const sha256 of new Set(named)) {
    const content = typeof sha256 === 'string' ? await findDocument(tx, taskId, sha256) : undefined
    if (typeof sha256 === 'string' && content !== undefined) documents.push({ sha256, content })
  }
  const sealed = ledger.find(({ event }) => event === 'enqueued')?.data['run_contract_sha256']
  const contract = await liveContract(tx, taskId)
  if (typeof sealed === 'string' && contract?.run_contract != null)
    documents.push({ sha256: sealed, content: contract.run_contract })
  return documents
}

/** What was read from the files of the run's input. */
async function extractionsOf(
  tx: Tx,
  { task_id, rail, input_sha256 }: TaskRow,
): Promise<ReplayPackage['documents']> {
  const input = input_sha256 === null ? null : await findDocument(tx, task_id, input_sha256)
  const uploads = uploadDigestsOf(railOf(rail as RailKey), input)
  const read = await listExtractions(tx, task_id, uploads)
  return read.map((content) => ({ sha256: digestOf(content), content }))
}

/** The outputs of a model that the drafts of the run name, so that they are checked without a call. */
async function modelOutputsOf(tx: Tx, row: ReturnPackageRow): Promise<ReplayPackage['documents']> {
  const { drafts } = row.package as Partial<MadePackage>
  const named = new Set(drafts?.calls.map(({ output_sha256 }) => output_sha256))
  const outputs = named.size === 0 ? [] : await listModelOutputs(tx, row.run_id)
  return outputs.filter(({ sha256 }) => named.has(sha256))
}

const packageOf = (row: ReturnPackageRow): ReplayPackage['return_package'] => ({
  ...signedFacts(row.package as MadePackage),
  completion_signature: row.completion_signature,
})
