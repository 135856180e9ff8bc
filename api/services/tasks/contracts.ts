import { acceptanceText } from '#domain/agents/signature.ts'
import { refuse } from '#domain/core/errors.ts'
import { claimQuote } from '../../../activities/credit/quotes.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { requestCredit } from '../../../activities/task/credit.ts'
import type { TaskDeps } from '../../../activities/task/deps.ts'
import { writeTaskReceipt } from '../../../activities/task/receipt.ts'
import { isSignedByAgent } from '../agents/handshake.ts'
import type { PaymentService } from '../credit/payments.ts'
import { ownContract, type TaskActor, type TaskCaller, taskOfToken } from './access.ts'
import { sendContractAccepted, sendContractPrepared, type TaskGateway } from './events.ts'
import { contractView, taskView } from './views.ts'

type Deps = TaskDeps & { gateway: TaskGateway; payments: Pick<PaymentService, 'ofTask'> }

/** `quote_id`: the run is paid by credit of this quote. */
export type Acceptance = {
  contract_id: string
  terms_sha256: string
  signature: string
  quote_id?: string | undefined
  quote_token?: string | undefined
}
type Preparation = { task_token: string; acceptance_criteria: string[] }

/** Contracts of tasks as their agents prepare, read and accept them. */
export class ContractService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  read(caller: TaskCaller, contractId: string) {
    return transaction(this.#deps.db, async (tx) => {
      const { contract, task } = await ownContract(tx, caller, contractId)
      return { contract: await contractView(tx, contract, task) }
    })
  }

  /** Prepares the contract of a task that passed its preflight; answers its terms and a signed receipt. */
  async prepare(actor: TaskActor, asked: Preparation, callId: string): Promise<void> {
    const { task_id, terms_sha256 } = await taskOfToken(this.#deps.db, actor, asked.task_token)
    const prepared = await sendContractPrepared(
      this.#deps,
      { taskId: task_id, termsSha256: terms_sha256, criteria: asked.acceptance_criteria },
      { eventId: callId, actor: actor.actor },
    )
    const subject = prepared.contract_id
    await answerOnce(this.#deps, { callId, subject, status: 201 }, async (tx) => {
      const { contract, task } = await ownContract(tx, actor, subject)
      const facts = { ...prepared, task_id: task.task_id }
      const receipt = { task, subject, kind: 'intake', facts }
      const jws = await writeTaskReceipt(this.#deps, tx, receipt)
      return { contract: await contractView(tx, contract, task), receipt: receiptView(jws) }
    })
  }

  /** Throws 401 `proof_invalid` unless a key of the contract's agent signed this acceptance. */
  async assertSigned(caller: TaskCaller, input: Acceptance): Promise<void> {
    const { contract_id, terms_sha256, signature } = input
    const { db } = this.#deps
    const { task } = await transaction(db, (tx) => ownContract(tx, caller, contract_id))
    const text = acceptanceText(contract_id, terms_sha256)
    if (await isSignedByAgent(db, { agentId: task.agent_id ?? '', text, signature })) return
    const example = JSON.stringify(acceptanceText('<contract_id>', '<terms_sha256>'))
    throw refuse('proof_invalid', {
      detail: 'the signature is not one of the registered key over this contract and these terms',
      next_action: `Sign ${example} with the registered key.`,
    })
  }

  /** Accepts the contract of a task, and requests the credit of its run where a quote is named. */
  async accept(actor: TaskActor, input: Acceptance, callId: string): Promise<void> {
    const { contract_id, terms_sha256, signature } = input
    const { db, payments } = this.#deps
    const { task_id, agent_id } = await transaction(db, (tx) => this.#reserve(tx, actor, input))
    const text = acceptanceText(contract_id, terms_sha256)
    await sendContractAccepted(
      this.#deps,
      { taskId: task_id, termsSha256: terms_sha256, acceptance: { text, signature, agent_id } },
      { eventId: callId, actor: actor.actor },
    )
    await answerOnce(this.#deps, { callId, subject: contract_id, status: 200 }, async (tx) => {
      const { contract, task } = await ownContract(tx, actor, contract_id)
      const { entitlement, challenge } = await payments.ofTask(tx, task_id)
      return {
        contract: await contractView(tx, contract, task),
        task: await taskView(tx, task),
        entitlement,
        challenge,
      }
    })
  }

  /** Requests the credit before the task is notified: the task then advances as far as its money allows. */
  async #reserve(tx: Tx, caller: TaskCaller, input: Acceptance): Promise<TaskRow> {
    const { contract, task } = await ownContract(tx, caller, input.contract_id)
    const { quote_id, quote_token } = input
    if (quote_id === undefined || contract.state !== 'ready') return task
    const owner = task.agent_id ?? task.task_id
    await claimQuote(tx, quote_id, { owner, token: quote_token })
    await requestCredit(this.#deps, tx, { task, quoteId: quote_id })
    return task
  }
}
