import { digestOf } from '#domain/core/canonical-json.ts'
import { isObject } from '#domain/core/plain-object.ts'
import type { Work } from '#domain/rails/rail.ts'
import type { EvidenceContent } from '#domain/reviews/evidence.ts'
import {
  findAccount,
  findAgent,
  findIdentity,
  type IdentityRow,
} from '../../../activities/store/agents/agents.ts'
import { findQuote } from '../../../activities/store/credit/quotes.ts'
import { findRunDrafts } from '../../../activities/store/model/model-calls.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  findRun,
  type LoopStepRow,
  listLoopSteps,
  type RunRow,
} from '../../../activities/store/runs/runs.ts'
import { findDocument, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { findExchangeOf } from '../../../activities/store/work-orders/exchange.ts'
import { quoteView } from '../credit/views.ts'
import { contractOf } from '../tasks/contract-terms.ts'
import { filesOf, uploadedParts } from './uploads.ts'

/** The evidence of a task: its terms, contract, input, price and agent, the ledger up to its head, and its run if there is one. */
async function taskEvidence(tx: Tx, task: TaskRow): Promise<EvidenceContent> {
  const { task_id, terms_sha256, input_sha256, quote_id, run_id } = task
  const contract = await contractOf(tx, task_id)
  const quote = quote_id === null ? undefined : await findQuote(tx, quote_id)
  const run = run_id === null ? undefined : await findRun(tx, run_id)
  const input = input_sha256 === null ? undefined : await findDocument(tx, task_id, input_sha256)
  return {
    terms: await findDocument(tx, task_id, terms_sha256),
    contract,
    criteria: contract?.acceptance_criteria ?? [],
    price: quote && quoteView(quote),
    input,
    files: await filesOf(tx, task, input),
    agent: task.agent_id === null ? undefined : await agentEvidence(tx, task.agent_id),
    history: { state: task.state, sequence: task.sequence, head_hash: task.head_hash },
    delivery: run && (await deliveryOf(tx, task)),
    ...(run && runEvidence(run, await listLoopSteps(tx, run.run_id))),
    drafts: run && (await draftsOf(tx, run)),
  }
}

/** Who delivered the work of a run from the exchange, and with what; undefined for the service's own work, as of another input. */
async function deliveryOf(tx: Tx, task: TaskRow) {
  const found = await findExchangeOf(tx, task.task_id)
  if (!found?.delivery || found.input_sha256 !== task.input_sha256) return undefined
  const { claim_id, agent_id, input_sha256, receipt_id, delivery } = found
  const { work, ...sent } = delivery
  return { claim_id, agent_id, input_sha256, receipt_id, ...sent, work_sha256: digestOf(work) }
}

/** The evidence of a task with the uploaded lists that its input names. */
export async function taskParts(tx: Tx, task: TaskRow) {
  const content = await taskEvidence(tx, task)
  const uploads = await uploadedParts(tx, task, { input: content.input, within: 'input' })
  return { content, uploads }
}

/** The registration of an agent and its trust; nothing that changes with its calls. */
export async function agentEvidence(tx: Tx, agentId: string) {
  const agent = await findAgent(tx, agentId)
  if (agent === undefined) return undefined
  const { agent_id, account_id, name, contact, capabilities, rails, protocols } = agent
  const { requested_scopes, public_key, sandbox, trust_state, trust_since, limits } = agent
  const identity = await findIdentity(tx, agentId)
  return {
    agent_id,
    account_id,
    account: await findAccount(tx, account_id),
    name,
    contact,
    capabilities,
    rails,
    protocols,
    requested_scopes,
    public_key,
    ...(identity === undefined ? {} : { identity: identityView(identity) }),
    sandbox,
    trust: { state: trust_state, since: trust_since.toISOString(), limits },
  }
}

/** The work of the current attempt, and how it differs from the attempt before. */
function runEvidence(run: RunRow, steps: readonly LoopStepRow[]): EvidenceContent {
  const outputOf = (step: LoopStepRow['step'], attempt = run.attempt) =>
    steps.findLast((one) => one.step === step && one.attempt === attempt && one.verdict !== null)
      ?.output
  const work = outputOf('worker') as Work<unknown> | undefined
  const checked = outputOf('validator') as { checks?: unknown } | undefined
  const reviews = steps.filter(({ step, verdict }) => step === 'review_step' && verdict !== null)
  const before = outputOf('worker', run.attempt - 1) as Work<unknown> | undefined
  return {
    plan: outputOf('planner'),
    result: work?.result,
    findings: work?.findings,
    gaps: work?.gaps,
    checks: checked?.checks,
    changes: {
      attempt: run.attempt,
      round: run.round,
      reviews: reviews.map(({ attempt, round, verdict, decided_by, output }) => ({
        attempt,
        round,
        verdict,
        decided_by,
        output,
      })),
      changed_members: changedMembers(before?.result, work?.result),
    },
  }
}

const draftsOf = (tx: Tx, { run_id, attempt, round }: RunRow) =>
  findRunDrafts(tx, { runId: run_id, attempt, round })

/** The top-level members of a result that differ from the one before; null without one before. */
function changedMembers(before: unknown, after: unknown): string[] | null {
  if (!isObject(before) || !isObject(after)) return null
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.filter((name) => digestOf(before[name] ?? null) !== digestOf(after[name] ?? null))
}

const identityView = ({ verified_at, agent_id: _agent, ...identity }: IdentityRow) => ({
  ...identity,
  verified_at: verified_at.toISOString(),
})
