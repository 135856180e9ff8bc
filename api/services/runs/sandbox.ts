import { refuse } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import { type Rail, type RailKey, type Tier, usagesOf } from '#domain/rails/rail.ts'
import { SANDBOX_TIER, type SandboxFault } from '#domain/runs/sandbox.ts'
import type { TaskTerms } from '#domain/tasks/terms.ts'
import { assertNotPaused } from '../../../activities/accounts/pauses.ts'
import { issueQuote } from '../../../activities/credit/quotes.ts'
import { taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { findTask, requireTask, storeDocument } from '../../../activities/store/tasks/tasks.ts'
import { makeAutomaticTransitions } from '../../../activities/tasks/automatic-transitions.ts'
import { claimCredit } from '../../../activities/tasks/credit.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { writeTaskReceipt } from '../../../activities/tasks/receipt.ts'
import { recordTransition } from '../../../activities/tasks/transition.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import { assertCallback, assertReadable } from '../inputs/asked-input.ts'
import { agree } from '../tasks/agreement.ts'
import { manifestOf, provideInput } from '../tasks/input.ts'
import { receiptsOfRun } from './receipts.ts'
import { type RunViewDeps, resultContractOf, runView } from './views.ts'

type Deps = TaskDeps & RunViewDeps & { gateway: Pick<TaskGateway, 'advance'> }

export type SandboxAsked = {
  rail: RailKey
  /** Of these rails only; 400 `invalid_request` for any other. */
  among: (rail: Rail) => boolean
  input?: Record<string, unknown> | undefined
  callback_url?: string | undefined
  fault: SandboxFault
  tier?: Tier | undefined
  /** Whose processor time it takes, where an operator does not start it. */
  network?: string
  /** Who starts it instead of any caller, and what is stored with it. */
  by?: { actor: string; record(tx: Tx, taskId: string): Promise<void> } | undefined
}
type Start = Pick<SandboxAsked, 'by' | 'network'> & {
  taskId: string
  eventId: string
  terms: TaskTerms
  input: unknown
}

/** Synthetic runs of callers without an agent: real work on the workflow of every run, reviewed by the sandbox policy, without money. */
export class SandboxService {
  private readonly deps: Deps
  /** The rails that can be tried out. */
  readonly runs = (rail: Rail): boolean => usagesOf(rail).includes('synthetic')
  /** The rails of the quickstart. */
  readonly quickstarts = ({ takes }: Rail): boolean => takes.quickstart

  constructor(deps: Deps) {
    this.deps = deps
  }

  /**
   * Stores a run with its input, contract and sandbox credit, and begins its workflow; a repeat returns the same run. 400
   * `invalid_request`, 422 `input_rejected`, `callback_refused`, 503 `paused`.
   */
  async start(asked: SandboxAsked, callId: string) {
    const { db, tokens, gateway } = this.deps
    const status_token = await tokens.statusToken('tk', callId)
    const taskId = taskIdOf(status_token)
    assertCallback(this.deps.callbackHosts, asked.callback_url ?? null, true)
    const { terms, input } = this.#plan(asked, taskId)
    if ((await findTask(db, taskId)) === undefined) {
      await assertNotPaused(db, { rail: terms.rail, agentId: terms.agent_id })
      assertReadable(terms.rail, terms.tier, input)
      await transaction(db, (tx) =>
        storeRun(this.deps, tx, { taskId, eventId: callId, terms, input, ...asked }),
      )
    }
    await gateway.advance(taskId)
    const started = await transaction(db, (tx) => this.#read(tx, taskId))
    return { ...started, status_token, callback_url: terms.callback_url }
  }

  /** The run of a task, and the last entry of its ledger. */
  read(taskId: string) {
    return transaction(this.deps.db, async (tx) => {
      const task = await requireTask(tx, taskId)
      const { sequence, head_hash: hash } = task
      return { run: await runView(this.deps, tx, task), ledger_head: { sequence, hash } }
    })
  }

  #plan(
    { rail: key, among, input, callback_url, fault, tier = SANDBOX_TIER }: SandboxAsked,
    taskId: string,
  ) {
    const rail = railOf(key)
    if (!among(rail)) throw invalid('/rail', `${key} has no run here`)
    if (fault === 'missing_evidence' && input !== undefined)
      throw invalid('/input', 'missing_evidence brings its own input')
    const withGaps = fault === 'missing_evidence' ? rail.inputWithGaps : undefined
    const given = input ?? withGaps ?? rail.sandboxInput
    const terms: TaskTerms = {
      agent_id: null,
      rail: key,
      tier,
      usage: 'synthetic',
      on_gaps: fault === 'missing_evidence' ? 'ask' : 'report',
      callback_url: callbackOf(this.deps.callbackHosts, { callback_url, fault, taskId }),
      objective: `A sandbox run of ${key} on the input of that digest.`,
      input_manifest: manifestOf(given),
      ...(fault === 'worker_exception' ? { fault } : {}),
    }
    return { terms, input: given }
  }

  async #read(tx: Tx, taskId: string) {
    const task = await requireTask(tx, taskId)
    const run = await runView(this.deps, tx, task)
    const receipts = await receiptsOfRun(this.deps, tx, task)
    return {
      run,
      receipts: receipts.map(({ jws }) => receiptView(jws)),
      result_contract: resultContractOf(run),
    }
  }
}

/** One transaction from the submission to the queue, because nothing of it waits for anyone. */
async function storeRun(deps: TaskDeps, tx: Tx, start: Start) {
  const { taskId, eventId, terms, input, network, by } = start
  const actor = by?.actor ?? 'public'
  const data = { terms_sha256: await storeDocument(tx, taskId, terms) }
  await recordTransition(deps, tx, { taskId, eventId, event: 'submit', actor, data, network })
  await provideInput(tx, taskId, input)
  const advance = async () =>
    makeAutomaticTransitions(deps, tx, { task: await requireTask(tx, taskId) })
  await advance()
  await agree(deps, tx, {
    taskId,
    command: eventId,
    preparedBy: actor,
    acceptedBy: actor,
    criteria: [],
    acceptance: { accept_terms: true, by: 'sandbox_policy' },
  })
  const task = await advance()
  const { contract_id } = task
  await writeTaskReceipt(deps, tx, {
    task,
    subject: contract_id ?? taskId,
    kind: 'intake',
    facts: { contract_id, terms_sha256: data.terms_sha256, task_id: taskId },
  })
  const { tier } = terms
  const rail = railOf(terms.rail)
  const discovery = rail.prices === null
  const quote = await issueQuote(deps, tx, { by: { owner: taskId }, rail, tier, taskId, discovery })
  await claimCredit(deps, tx, { task, quoteId: quote.quote_id })
  await by?.record(tx, taskId)
  await advance()
}

type Called = { callback_url: string | undefined; fault: SandboxFault; taskId: string }

/** Where the run calls back; with `callback_failure` to the demo receiver, which refuses the first attempt. */
function callbackOf(
  { demoReceiver }: TaskDeps['callbackHosts'],
  { callback_url, fault, taskId }: Called,
): string | null {
  if (fault !== 'callback_failure') return callback_url ?? null
  const url = new URL(callback_url ?? `${demoReceiver}?receiver=${taskId.slice(0, 37)}`)
  url.searchParams.set('fail', '1')
  return String(url)
}

const invalid = (pointer: string, message: string) =>
  refuse('invalid_request', { detail: message, errors: [{ pointer, message }] })
