import { canonicalJson, digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { priceOf } from '#domain/credit/pricing.ts'
import { firingTerms } from '#domain/production/accepted-terms.ts'
import {
  type Cadence,
  type WorkflowMove,
  workflowTransitions,
} from '#domain/production/customer-workflow.ts'
import { railOf } from '#domain/rails/index.ts'
import { uploadDigestsOf } from '#domain/rails/input/uploads.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import { draftingModel } from '#domain/tasks/drafted.ts'
import { assertNotPaused } from '../../../activities/accounts/pauses.ts'
import { releaseOfWorkflow } from '../../../activities/authority/firing-charge.ts'
import { readWallet } from '../../../activities/credit/allowance.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { findActionIdOfCall } from '../../../activities/store/authority/actions.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import {
  type CustomerWorkflowRow,
  countLiveWorkflows,
  type FiringRow,
  findWorkflow,
  insertWorkflow,
  listFirings,
  listWorkflows,
  lockWorkflow,
  moveWorkflow,
} from '../../../activities/store/production/customer-workflows.ts'
import { issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import type { WriteGate, Writer } from '../authority/write-gate.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'

type Deps = TaskDeps & {
  gate: Pick<WriteGate, 'admit' | 'resolveCallback'>
  uploadChecks: Pick<UploadChecks, 'assertInput'>
  /** Starts the firing that a call names, or finds it; answers its name. Throws where Temporal is down. */
  fire(workflow: CustomerWorkflowRow, name: string): Promise<string>
}
type Asked = {
  customer_account: string
  rail: RailKey
  tier: Tier
  name: string
  acceptance_criteria: string[]
  callback_url: string
  wallet_id: string
  cadence: Cadence
  input: Record<string, unknown>
}

const FIRINGS_SHOWN = 25

/** Workflows of customers: reviewed once, and then fired by their schedule. */
export class CustomerWorkflowService {
  private readonly deps: Deps
  /** What each firing costs; an operator approves them all with the workflow, and its wallet pays within its limits. */
  firingUsd = async (rail: RailKey, tier: Tier): Promise<number> =>
    priceOf(railOf(rail), tier).total_usd

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** Those of an agent, or of all where none is given; 404 for a named one that is not among them. */
  list(
    by: { agentId: string | undefined; workflowId: string | undefined },
    page: { offset: number; limit: number },
  ) {
    return transaction(this.deps.db, async (tx) => {
      const { rows, total } = await listWorkflows(tx, by, page)
      if (by.workflowId !== undefined && total === 0) throw unknown()
      const items = []
      for (const row of rows) items.push(await viewOf(tx, row))
      return { items, ...page, total }
    })
  }

  /** Stores a workflow behind the write gate; it waits for a review. 403, 404, 422. */
  async create(writer: Writer, asked: Asked, callId: string): Promise<void> {
    const { db, gate, uploadChecks, model } = this.deps
    const { rail, tier, input, callback_url: callbackUrl, acceptance_criteria, ...terms } = asked
    const { agentId, credentialId } = writer
    await uploadChecks.assertInput({ owner: agentId, rail, tier, input })
    assertInline(rail, input)
    const operationId = 'customer-workflow-create'
    const callback = await gate.resolveCallback(operationId, callbackUrl)
    const workflow_id = `cw_${digestOf({ call: callId })}`
    const act = { callId, subject: workflow_id, status: 201 }
    const write = { operationId, writer, rail, callbackUrl, callId, subject: workflow_id }
    await answerOnce({ db }, act, async (tx) => {
      await assertNotPaused(tx, { rail, agentId })
      await readWallet(tx, terms.wallet_id, agentId)
      if ((await countLiveWorkflows(tx, agentId)) >= limits.workflowsOfAgentMax)
        throw refuse('control_denied', {
          detail: `an agent has at most ${limits.workflowsOfAgentMax} workflows`,
          next_action: 'Delete one first.',
        })
      const { checks, auditEventId } = await gate.admit(tx, write, callback)
      const row = await insertWorkflow(tx, {
        ...terms,
        workflow_id,
        rail,
        tier,
        agent_id: agentId,
        credential_id: credentialId,
        audit_event_id: auditEventId,
        action_id: (await findActionIdOfCall(tx, callId)) ?? null,
        callback_url: callbackUrl,
        acceptance_criteria: JSON.stringify(acceptance_criteria),
        input: JSON.stringify(input),
        input_sha256: digestOf(input),
        ...accepted(rail, model),
      })
      const review = { subject_kind: 'workflow', subject_id: workflow_id, state: 'waiting' }
      const receipt = await this.#receipt(tx, row)
      return { workflow: await viewOf(tx, row), gate: { checks }, review, receipt }
    })
  }

  /**
   * Pauses, resumes or ends a workflow; what resumes passes the gate again, and later firings use its key and the terms that it
   * accepts. 403, 404, 409.
   */
  async move(
    writer: Writer,
    { workflowId, move }: { workflowId: string; move: WorkflowMove },
    callId: string,
  ): Promise<void> {
    const { db, gate, model } = this.deps
    const resumes = move === 'resume'
    const operationId = 'customer-workflow-resume'
    const known = ownedBy(await findWorkflow(db, workflowId), writer.agentId)
    const { rail, callback_url: callbackUrl } = known
    const callback = resumes ? await gate.resolveCallback(operationId, callbackUrl) : undefined
    const act = { callId, subject: workflowId, status: 200 }
    await answerOnce({ db }, act, async (tx) => {
      const row = ownedBy(await lockWorkflow(tx, workflowId), writer.agentId)
      const state = workflowTransitions[row.state][move]
      if (state === undefined)
        throw refuse('wrong_state', { detail: `the workflow is ${row.state}` })
      if (resumes) {
        await assertNotPaused(tx, { rail, agentId: writer.agentId })
        const write = { operationId, writer, rail, callbackUrl, callId, subject: workflowId }
        await gate.admit(tx, write, callback)
      }
      const agreed = { credential_id: writer.credentialId, ...accepted(rail, model) }
      const moved = await moveWorkflow(tx, workflowId, { state, ...(resumes && agreed) })
      const released = state === 'deleted' ? await releaseOfWorkflow(tx, moved) : 0
      const receipt = await this.#receipt(tx, moved, released)
      return { workflow: await viewOf(tx, moved), receipt }
    })
  }

  /** One firing now, once for a call; it is judged and recorded as those of the schedule. 403, 404, 409, 503. */
  async run(agentId: string, workflowId: string, callId: string) {
    const { db, fire } = this.deps
    const workflow = ownedBy(await findWorkflow(db, workflowId), agentId)
    if (workflow.state !== 'active')
      throw refuse('wrong_state', { detail: `the workflow is ${workflow.state}` })
    const firing = await fire(workflow, callId).catch(() => {
      throw refuse('unavailable', { detail: 'the firing cannot be started now' })
    })
    const firing_id = `fi_${digestOf({ firing })}`
    return { workflow: await transaction(db, (tx) => viewOf(tx, workflow)), firing_id }
  }

  async #receipt(
    tx: Tx,
    { workflow_id, agent_id, state, cadence, input_sha256, terms_sha256 }: CustomerWorkflowRow,
    released_usd = 0,
  ) {
    const row = { workflow_id, agent_id, state, cadence, input_sha256, terms_sha256 }
    const facts = { ...row, ...(released_usd > 0 && { released_usd }) }
    const content = { subject: workflow_id, kind: 'customer_workflow', usage: 'operational', facts }
    return receiptView(await issueReceipt(this.deps, tx, content))
  }
}

/** What an agent accepts with the call that makes or resumes a workflow. */
function accepted(rail: RailKey, model: string | null) {
  const { terms, terms_sha256 } = firingTerms(draftingModel(rail, model))
  return { accepted_terms: canonicalJson(terms), terms_sha256 }
}

function assertInline(rail: RailKey, input: unknown): void {
  if (uploadDigestsOf(railOf(rail), input).length === 0) return
  const message = 'names uploads, which are not kept until a later firing'
  throw refuse('input_rejected', { detail: message, errors: [{ pointer: '/input', message }] })
}

const unknown = () => refuse('not_found', { detail: 'no such workflow' })

function ownedBy(row: CustomerWorkflowRow | undefined, agentId: string): CustomerWorkflowRow {
  if (row?.agent_id !== agentId) throw unknown()
  return row
}

async function viewOf(tx: Tx, row: CustomerWorkflowRow) {
  const {
    agent_id: _agent,
    credential_id: _key,
    audit_event_id: _event,
    input: _input,
    ...shown
  } = row
  const { state_since: _since, scheduled: _given, created_at, ...workflow } = shown
  const firings = await listFirings(tx, row.workflow_id, FIRINGS_SHOWN)
  return {
    ...workflow,
    created_at: created_at.toISOString(),
    firings: firings.map(firingView),
  }
}

const firingView = ({
  firing_id,
  due_at,
  state,
  run_id,
  work_order_id,
  code,
  detail,
  terms_sha256,
  charged_usd,
}: FiringRow) => ({
  firing_id,
  due_at: due_at.toISOString(),
  state,
  run_id,
  work_order_id,
  code,
  detail,
  terms_sha256,
  charged_usd,
})
