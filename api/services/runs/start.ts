import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import type { Rail } from '#domain/rails/rail.ts'
import type { TaskTerms } from '#domain/tasks/terms.ts'
import { claimQuote } from '../../../activities/credit/quotes.ts'
import { taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import type { Changes } from '../../../activities/store/postgres/changes.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { findTask, requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { makeAutomaticTransitions } from '../../../activities/tasks/automatic-transitions.ts'
import { requestCredit } from '../../../activities/tasks/credit.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { writeTaskReceipt } from '../../../activities/tasks/receipt.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { WriteGate, Writer } from '../authority/write-gate.ts'
import type { CreditService } from '../credit/credit.ts'
import type { PaymentService } from '../credit/payments.ts'
import type { QuoteService } from '../credit/quotes.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'
import type { TaskCaller } from '../tasks/access.ts'
import { agree, submitTask } from '../tasks/agreement.ts'
import { manifestOf, provideInput } from '../tasks/input.ts'
import { outcomeOf } from '../tasks/outcome.ts'
import {
  assertPaysQuote,
  assertStartable,
  type Funding,
  isPaidFor,
  type StartAsked,
  withMandate,
} from './admission.ts'
import { ownRun } from './own-run.ts'
import { isUnpaid, startRun } from './payment.ts'
import { receiptsOfRun } from './receipts.ts'
import { type RunViewDeps, resultContractOf, runView } from './views.ts'

type Deps = TaskDeps &
  RunViewDeps & {
    gateway: TaskGateway
    quotes: QuoteService
    payments: PaymentService
    credit: CreditService
    uploadChecks: UploadChecks
    gate: Pick<WriteGate, 'admit'>
    changes: Changes
    settleWaitMs: number
  }
/** A start with the id of its task and of the call that it works for. */
type Start = {
  writer: Writer
  agentId: string
  taskId: string
  callId: string
  asked: StartAsked
  sale: Sale
}
/** The operation that starts runs, and of which rails. */
export type Sale = {
  id: string
  path: string
  isSold: (rail: Rail) => boolean
  /** Stores what it keeps of an admitted run, in the transaction of its write. */
  record?: (tx: Tx, started: { taskId: string; writer: Writer }) => Promise<void>
}
const agentUse: Sale = {
  id: 'start-agent-run',
  path: '/api/agent-use',
  isSold: ({ takes }) => takes.paidAgentUse,
}

/** Starts of runs by agents, and their payment. */
export class RunStartService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /**
   * Starts a run, or continues one: a named wallet pays at once, a payment that is being confirmed is answered with its challenge,
   * and a payment that the call carries with `PAYMENT-RESPONSE`. Throws 402 `payment_required` with the challenge where nothing
   * pays, and 409 `payment_pending` where a payment may be in progress.
   */
  async start(writer: Writer, given: StartAsked, callId: string, sale = agentUse) {
    const { db, tokens } = this.deps
    const asked = await withMandate(db, given)
    const taskId = taskIdOf(await tokens.statusToken('tk', callId))
    const { agentId } = writer
    const store = await this.#admitted({ writer, agentId, taskId, callId, asked, sale })
    const starting = { agentId, taskId, asked, path: sale.path, store }
    return startRun(this.deps, starting, () => this.#read(taskId))
  }

  /** Throws 402 `payment_required` for a call that carries no payment where nothing that it names pays, nor anything else for its quote. */
  async assertFunded(asked: Funding): Promise<void> {
    if (await isPaidFor(this.deps, asked)) return
    throw refuse('payment_required', {
      detail: 'nothing pays for the run, and a delegated call carries no payment',
      next_action:
        'Name a wallet, a payment or credit in the input, or present a payment for the quote first.',
      money_moved: 'no',
      extra: { accepted_methods: this.deps.payments.methods },
    })
  }

  /** What stores the run, once the checks outside of its transaction have passed; a stored one is not stored again. */
  async #admitted(start: Start): Promise<(tx: Tx) => Promise<void>> {
    const { agentId, taskId, asked, sale } = start
    const { db, quotes } = this.deps
    const terms = termsOf(agentId, asked)
    const known = await findTask(db, taskId)
    if (known !== undefined && known.terms_sha256 !== digestOf(terms))
      throw refuse('idempotency_conflict', { detail: 'this key has started another run' })
    if (known === undefined) {
      const isSold = sale.isSold(railOf(asked.rail))
      await assertStartable(this.deps, { agentId, isSold }, asked)
    }
    await quotes.assertClaimable(asked.quote_id, { owner: agentId, token: asked.quote_token })
    await assertPaysQuote(this.deps, agentId, asked)
    return (tx) => (known === undefined ? this.#store(tx, start, terms) : Promise.resolve())
  }

  /**
   * Claims the quote, submits the task, gives it its input and credit, and agrees on its contract; each event is named after the call, so
   * that a call has one task however often it is sent.
   */
  async #store(
    tx: Tx,
    { writer, agentId, taskId, asked, callId, sale }: Start,
    terms: TaskTerms,
  ): Promise<void> {
    const deps = this.deps
    const actor = `agent:${terms.agent_id}`
    const { rail, callback_url: callbackUrl, customer_account } = asked
    const by = { operationId: sale.id, writer, rail, callbackUrl, callId }
    const write = { ...by, customerAccount: customer_account }
    await claimQuote(tx, asked.quote_id, { owner: agentId, token: asked.quote_token })
    const submitted = await submitTask(deps, tx, { taskId, eventId: callId, actor, terms })
    // Another delivery of the call has agreed: the task is advanced, and nothing is written again.
    if (submitted.contract_id !== null) return
    const { state } = await makeAutomaticTransitions(deps, tx, { task: submitted })
    // A task that its preflight closed has no contract: its ledger says why.
    if (state === 'closed') return
    await provideInput(tx, taskId, asked.input)
    const task = await requireTask(tx, taskId)
    await requestCredit(deps, tx, { task, quoteId: asked.quote_id })
    if (asked.usage === 'operational') await deps.gate.admit(tx, { ...write, subject: taskId })
    await sale.record?.(tx, { taskId, writer })
    const acceptance = { accept_terms: true, agent_id: terms.agent_id, customer_account }
    const parties = { preparedBy: actor, acceptedBy: actor }
    const agreement = { taskId, command: callId, ...parties, criteria: [], acceptance }
    const prepared = await agree(deps, tx, agreement)
    const facts = { ...prepared, task_id: taskId }
    const about = { task, subject: prepared.contract_id, kind: 'intake', facts }
    await writeTaskReceipt(deps, tx, about)
  }

  /** A started run as its start would be answered now, and how far it is. 404 for an unknown run, and for that of another. */
  follow(caller: TaskCaller, runId: string) {
    return transaction(this.deps.db, async (tx: Tx) => {
      const task = await ownRun(tx, caller, runId)
      const { entitlement, challenge, ...started } = await this.#startedAs(tx, task)
      return {
        outcome: await outcomeOf(tx, task),
        created_at: task.created_at.toISOString(),
        changed_at: task.changed_at.toISOString(),
        started: { ...started, challenge: isUnpaid(started.run, entitlement) ? challenge : null },
      }
    })
  }

  #read(taskId: string) {
    return transaction(this.deps.db, async (tx: Tx) =>
      this.#startedAs(tx, await requireTask(tx, taskId)),
    )
  }

  async #startedAs(tx: Tx, task: TaskRow) {
    const run = await runView(this.deps, tx, task)
    const { entitlement, challenge } = await this.deps.payments.ofTask(tx, task.task_id)
    const receipts = await receiptsOfRun(this.deps, tx, task)
    return {
      run,
      entitlement,
      challenge,
      receipts: receipts.map(({ jws }) => receiptView(jws)),
      result_contract: resultContractOf(run),
    }
  }
}

function termsOf(agent_id: string, asked: StartAsked): TaskTerms {
  const { rail, tier, usage, on_gaps, callback_url, input } = asked
  return {
    agent_id,
    rail,
    tier,
    usage,
    on_gaps,
    callback_url,
    objective: `One ${tier} run of ${rail} on the input of that digest.`,
    input_manifest: manifestOf(input),
  }
}
