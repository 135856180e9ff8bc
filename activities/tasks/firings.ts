import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { type DomainError, lastingRefusal, refuse } from '#domain/core/errors.ts'
import { callId } from '#domain/core/ids.ts'
import { firingTerms } from '#domain/production/accepted-terms.ts'
import { firingDueAt, intervalSecondsMin } from '#domain/production/customer-workflow.ts'
import { railOf } from '#domain/rails/index.ts'
import { draftingModel } from '#domain/tasks/drafted.ts'
import type { FiringSnapshot, FiringSteps } from '../../workflows/firing/activities.ts'
import { issueQuote } from '../credit/quotes.ts'
import { clockSeconds, transaction } from '../store/postgres/db.ts'
import { requireRow } from '../store/postgres/rows.ts'
import {
  beginFiring,
  type CustomerWorkflowRow,
  endFiring,
  type FiringBarrier,
  type FiringRow,
  lockWorkflow,
  quoteFiring,
} from '../store/production/customer-workflows.ts'
import type { Database } from '../store/schema/schema.ts'

/** An operation that is called for an agent by one of its access keys; throws a `DomainError` for a refusal. */
export type AgentCall = (call: {
  operationId: string
  credentialId: string
  input: Record<string, unknown>
}) => Promise<{ body: Record<string, unknown> }>
type Deps = {
  readonly db: Kysely<Database>
  readonly callAs: AgentCall
  /** The issuer of quotes and receipts. */
  readonly issuer: string
  /** The configured model, which is named in the terms of a run; null: none. */
  readonly model: string | null
}

/** The step of a firing: stored before its calls, which are named by it, and ended only by a known outcome. */
export function createFiringSteps(deps: Deps): FiringSteps {
  return {
    fireWorkflow: async ({ workflowId, firing }) => {
      const firing_id = firingIdOf(firing)
      const begun = await begin(deps, { firing_id, workflow_id: workflowId })
      if (begun === undefined) return null
      if (begun.row.state !== 'due') return snapshotOf(begun.row)
      return snapshotOf(await carryOut(deps, begun))
    },
  }
}

/** A schedule names the workflow of a firing; one that is woken is named by its row. */
const firingIdOf = (firing: string): string =>
  firing.startsWith('fi_') ? firing : `fi_${digestOf({ firing })}`

type Begun = { workflow: CustomerWorkflowRow; row: FiringRow; refusal: DomainError | undefined }

/**
 * Stores the firing with the terms that its workflow accepted, as due by the workflow's cadence and the database's clock; a
 * workflow that is not active, has accepted other terms than those of now, or fired within its interval, starts nothing.
 */
function begin(
  { db, model }: Deps,
  firing: Pick<FiringRow, 'firing_id' | 'workflow_id'>,
): Promise<Begun | undefined> {
  return transaction(db, async (tx) => {
    const workflow = await lockWorkflow(tx, firing.workflow_id)
    if (workflow === undefined) return undefined
    const { cadence, created_at } = workflow
    const now = new Date((await clockSeconds(tx)) * 1000)
    const due_at = firingDueAt(cadence, created_at, now)
    const { early, ...row } = await beginFiring(
      tx,
      {
        ...firing,
        due_at,
        call_id: startOf(workflow, firing),
        terms_sha256: workflow.terms_sha256,
      },
      intervalSecondsMin[cadence],
    )
    if (row.workflow_id !== workflow.workflow_id) return undefined
    if (row.quote_id !== null) return { workflow, row, refusal: undefined }
    const { state } = workflow
    if (state !== 'active')
      return {
        workflow,
        row,
        refusal: refuse('wrong_state', { detail: `the workflow is ${state}` }),
      }
    if (workflow.terms_sha256 !== firingTerms(draftingModel(workflow.rail, model)).terms_sha256)
      return { workflow, row, refusal: refuse('terms_mismatch', { detail: otherTerms }) }
    const detail = 'it fires again sooner than its cadence allows'
    return { workflow, row, refusal: early ? refuse('rate_limited', { detail }) : undefined }
  })
}

/** Throws the refusal of a workflow that fires nothing now, or not by the terms of this firing. */
export function assertFires({ state, terms_sha256, fired_terms_sha256 }: FiringBarrier): void {
  if (state !== 'active') throw refuse('wrong_state', { detail: `the workflow is ${state}` })
  if (terms_sha256 !== fired_terms_sha256) throw refuse('terms_mismatch', { detail: otherTerms })
}

const otherTerms =
  'its agent has not accepted the terms of now; it does by pausing and resuming the workflow'

const otherCall = 'another call with its key started the run before, which its mandate has not paid'

/** The id of the call that starts the run: it names the firing in the transaction that pays. */
const startOf = (
  { agent_id }: CustomerWorkflowRow,
  { firing_id }: Pick<FiringRow, 'firing_id'>,
): string => callId(`agent:${agent_id}`, 'wallet-run-start', firing_id)

async function carryOut(deps: Deps, { workflow, row, refusal }: Begun): Promise<FiringRow> {
  const { db } = deps
  try {
    if (refusal !== undefined) throw refusal
    const quoteId = row.quote_id ?? (await quote(deps, workflow, row))
    const started = await start(deps, { workflow, row, quoteId })
    return await transaction(db, async (tx) => {
      const { charged_usd } = await requireRow(tx, 'workflow_firings', { firing_id: row.firing_id })
      if (workflow.action_id !== null && charged_usd === null)
        throw refuse('idempotency_conflict', { detail: otherCall })
      return endFiring(tx, row.firing_id, started)
    })
  } catch (error) {
    const { code, detail } = lastingRefusal(error)
    const refused = { state: 'refused', code, detail: detail.slice(0, 500) } as const
    return transaction(db, (tx) => endFiring(tx, row.firing_id, refused))
  }
}

/** A quote for this firing alone; a step that runs twice at once has one. */
function quote(
  { db, issuer }: Deps,
  { rail, tier, agent_id: owner }: CustomerWorkflowRow,
  { firing_id }: FiringRow,
): Promise<string> {
  return transaction(db, async (tx) => {
    const { quote_id } = await issueQuote({ issuer }, tx, {
      by: { owner },
      rail: railOf(rail),
      tier,
    })
    return quoteFiring(tx, firing_id, quote_id)
  })
}

/** The run that its wallet pays, by the terms that the workflow accepted: through the write gate, with an order that waits for its review as any other. */
async function start(
  { callAs }: Deps,
  { workflow, row, quoteId }: { workflow: CustomerWorkflowRow; row: FiringRow; quoteId: string },
) {
  const { rail, tier, wallet_id, customer_account, callback_url, credential_id } = workflow
  const { input, acceptance_criteria } = workflow
  const account = { wallet_id, customer_account, callback_url }
  const asked = { rail, tier, ...account, input, acceptance_criteria, quote_id: quoteId }
  const { body } = await callAs({
    operationId: 'wallet-run-start',
    credentialId: credential_id,
    input: { ...asked, on_gaps: 'report', accept_terms: true, idempotency_key: row.firing_id },
  })
  const { run_id, work_order_id } = body['run'] as { run_id: string; work_order_id: string }
  return { state: 'started' as const, run_id, work_order_id }
}

const snapshotOf = ({ firing_id, state, run_id, code }: FiringRow): FiringSnapshot => ({
  firingId: firing_id,
  state,
  runId: run_id,
  code,
})
