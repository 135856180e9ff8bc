import { refuse } from '#domain/core/errors.ts'
import { type TaskEventData, taskTerms } from '#domain/tasks/terms.ts'
import { assertNotPaused } from '../accounts/pauses.ts'
import { readControls } from '../store/accounts/controls.ts'
import { readAgentTrust } from '../store/agents/agents.ts'
import { assertComputeLeft, type ComputeNetwork } from '../store/calls/compute.ts'
import type { Tx } from '../store/postgres/db.ts'
import { findDocument, type TaskRow } from '../store/tasks/tasks.ts'

type Submitted = TaskEventData['submit'] & {
  taskId: string
  moved: Pick<TaskRow, 'state' | 'sequence' | 'head_hash' | 'changed_at'>
  network: string | undefined
}

/**
 * The row of a new task from its stored terms; the sandbox policy approves a synthetic run, unless its account has each reviewed. 503
 * `paused`, 429 where the network of a synthetic one has used its processor time.
 */
export async function submittedTask(
  tx: Tx,
  { taskId, terms_sha256, moved, ...from }: Submitted,
): Promise<TaskRow> {
  const parsed = taskTerms.safeParse(await findDocument(tx, taskId, terms_sha256))
  if (!parsed.success)
    throw refuse('invalid_request', {
      detail: 'the terms of the task are not stored',
      next_action: 'Store the terms first.',
    })
  const { agent_id, rail, tier, usage, on_gaps, callback_url } = parsed.data
  await assertNotPaused(tx, { rail, agentId: agent_id })
  const network = usage === 'synthetic' ? await chargedNetwork(tx, agent_id, from.network) : null
  await assertComputeLeft(tx, network)
  const held = agent_id === null ? undefined : await readControls(tx, { agentId: agent_id })
  const isReviewed = usage === 'operational' || held?.controls.review_all === true
  return {
    ...moved,
    task_id: taskId,
    agent_id,
    network,
    rail,
    tier,
    usage,
    on_gaps,
    callback_url,
    terms_sha256,
    created_at: moved.changed_at,
    review_decision: isReviewed ? null : 'sandbox_policy',
    resume_state: null,
    input_sha256: null,
    contract_id: null,
    quote_id: null,
    quote_expires_at: null,
    entitlement_id: null,
    run_id: null,
    due_at: null,
  }
}

/** Whose processor time the work takes: of the network that registered an agent without trust, or that called without an agent. */
const chargedNetwork = async (
  tx: Tx,
  agentId: string | null,
  caller: string | undefined,
): Promise<ComputeNetwork> =>
  agentId === null ? (caller ?? null) : (await readAgentTrust(tx, agentId)).network
