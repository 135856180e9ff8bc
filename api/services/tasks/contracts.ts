import { acceptanceText } from '#domain/agents/signature.ts'
import { refuse } from '#domain/core/errors.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { isSignedByAgent } from '../../../activities/agents/signatures.ts'
import { claimQuote } from '../../../activities/credit/quotes.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { findActiveCredential } from '../../../activities/store/agents/agent-credentials.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { makeAutomaticTransitions } from '../../../activities/tasks/automatic-transitions.ts'
import { requestCredit } from '../../../activities/tasks/credit.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { writeTaskReceipt } from '../../../activities/tasks/receipt.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { WriteGate, Writer } from '../authority/write-gate.ts'
import type { PaymentService } from '../credit/payments.ts'
import { ownContract, type TaskActor, type TaskCaller, taskOfToken } from './access.ts'
import { acceptContract, contractIdOf, prepareContract } from './agreement.ts'
import { contractView, taskView } from './views.ts'

type Deps = TaskDeps & {
  gateway: TaskGateway
  payments: Pick<PaymentService, 'ofTask'>
  gate: Pick<WriteGate, 'admit'>
}

/** Who accepts: an access key is known by its `writer`, the holder of a status token has none. */
type Acceptor = TaskActor & { writer: Writer | undefined }

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
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  read(caller: TaskCaller, contractId: string) {
    return transaction(this.deps.db, async (tx) => {
      const { contract, task } = await ownContract(tx, caller, contractId)
      return { contract: await contractView(tx, contract, task) }
    })
  }

  /** Prepares the contract of a task that passed its preflight; answers its terms and a signed receipt. */
  async prepare(actor: TaskActor, asked: Preparation, callId: string): Promise<void> {
    const { db, gateway } = this.deps
    const { task_id: taskId } = await taskOfToken(db, actor, asked.task_token)
    const named = { taskId, eventId: callId, actor: actor.actor }
    const criteria = asked.acceptance_criteria
    const subject = contractIdOf(taskId, callId)
    await answerOnce(this.deps, { callId, subject, status: 201 }, async (tx) => {
      const prepared = await prepareContract(this.deps, tx, { ...named, criteria })
      const { contract, task } = await ownContract(tx, actor, subject)
      const facts = { ...prepared, task_id: task.task_id }
      const receipt = { task, subject, kind: 'intake', facts }
      const jws = await writeTaskReceipt(this.deps, tx, receipt)
      return { contract: await contractView(tx, contract, task), receipt: receiptView(jws) }
    })
    await gateway.wake(taskId).catch(() => undefined)
  }

  /** Throws 401 `proof_invalid` unless a key of the contract's agent signed this acceptance. */
  async assertSigned(caller: TaskCaller, input: Acceptance): Promise<void> {
    const { contract_id, terms_sha256, signature } = input
    const { db } = this.deps
    const { task } = await transaction(db, (tx) => ownContract(tx, caller, contract_id))
    const text = acceptanceText(contract_id, terms_sha256)
    if (await isSignedByAgent(db, { agentId: task.agent_id ?? '', text, signature })) return
    const example = JSON.stringify(acceptanceText('<contract_id>', '<terms_sha256>'))
    throw refuse('proof_invalid', {
      detail: 'the signature is not one of the registered key over this contract and these terms',
      next_action: `Sign ${example} with the registered key.`,
    })
  }

  /**
   * Accepts the contract of a task, and requests the credit of its run where a quote is named. The acceptance of an operational run
   * passes the production write gate; throws as the gate does.
   */
  async accept(actor: Acceptor, input: Acceptance, callId: string): Promise<void> {
    const { contract_id, terms_sha256, signature } = input
    const { payments, gateway } = this.deps
    let accepted = ''
    await answerOnce(this.deps, { callId, subject: contract_id, status: 200 }, async (tx) => {
      const { task_id: taskId, agent_id } = await this.#reserve(tx, actor, { ...input, callId })
      accepted = taskId
      const acceptance = { text: acceptanceText(contract_id, terms_sha256), signature, agent_id }
      const named = { taskId, eventId: callId, actor: actor.actor }
      await acceptContract(this.deps, tx, { ...named, termsSha256: terms_sha256, acceptance })
      await makeAutomaticTransitions(this.deps, tx, { task: await requireTask(tx, taskId) })
      const { contract, task } = await ownContract(tx, actor, contract_id)
      const { entitlement, challenge } = await payments.ofTask(tx, taskId)
      return {
        contract: await contractView(tx, contract, task),
        task: await taskView(tx, task),
        entitlement,
        challenge,
      }
    })
    await gateway.advance(accepted).catch(() => undefined)
  }

  /** Requests the credit with the acceptance: the task then advances as far as its money allows. */
  async #reserve(tx: Tx, by: Acceptor, input: Acceptance & { callId: string }): Promise<TaskRow> {
    const { contract, task } = await ownContract(tx, by, input.contract_id)
    const { quote_id, quote_token, callId, terms_sha256 } = input
    if (contract.state !== 'ready' || contract.terms_sha256 !== terms_sha256) return task
    if (quote_id !== undefined) {
      const owner = task.agent_id ?? task.task_id
      await claimQuote(tx, quote_id, { owner, token: quote_token })
      await requestCredit(this.deps, tx, { task, quoteId: quote_id })
    }
    if (task.usage === 'operational') await this.#admit(tx, by, task, callId)
    return task
  }

  /** A status token stands for the active access key of the agent, whose registered key signed the acceptance. */
  async #admit(tx: Tx, { writer }: Acceptor, task: TaskRow, callId: string): Promise<void> {
    const agentId = task.agent_id ?? ''
    const active = writer === undefined ? await findActiveCredential(tx, agentId) : undefined
    const credentialId = active?.credential_id ?? ''
    await this.deps.gate.admit(tx, {
      operationId: 'contract-accept',
      writer: writer ?? { agentId, credentialId, tool: null },
      rail: task.rail as RailKey,
      callbackUrl: task.callback_url,
      callId,
      subject: task.task_id,
    })
  }
}
