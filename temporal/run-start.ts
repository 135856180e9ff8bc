import { isFor } from '../activities/agents/rails.ts'
import { taskIdOf } from '../activities/keys/derived-tokens.ts'
import type { Money } from '../activities/money/desk.ts'
import { findAgent } from '../activities/store/agents.ts'
import { clockSeconds, transaction } from '../activities/store/db.ts'
import { findEntitlementOf } from '../activities/store/entitlements.ts'
import { findPresented } from '../activities/store/payment-references.ts'
import { findTask, requireTask, type TaskRow } from '../activities/store/tasks.ts'
import { assertCallback, assertReadable } from '../activities/tasks/asked-input.ts'
import { requestCredit } from '../activities/tasks/credit.ts'
import { provideInput } from '../activities/tasks/input.ts'
import { writeTaskReceipt } from '../activities/tasks/receipt.ts'
import { canonicalJson, digestOf } from '../workflows/domain/canonical-json.ts'
import { refuse } from '../workflows/domain/errors.ts'
import { railOf } from '../workflows/domain/rails/index.ts'
import type { RailKey, Tier } from '../workflows/domain/rails/rail.ts'
import type { TaskTerms } from '../workflows/domain/task-terms.ts'
import * as acts from './task-acts.ts'
import type { TaskDeskDeps } from './task-desk.ts'

/** What a paid run is asked for with (endpoints.md §2, Start); at most one of the ids says what pays for it. */
export type StartAsked = {
  rail: RailKey
  tier: Tier
  usage: TaskTerms['usage']
  on_gaps: TaskTerms['on_gaps']
  quote_id: string
  quote_token?: string | undefined
  input: Record<string, unknown>
  callback_url: string | null
  customer_account: string | null
  payment_reference_id?: string | undefined
  entitlement_id?: string | undefined
  wallet_id?: string | undefined
  /** The payment that the call itself carries, as x402 has it. */
  payment_signature?: string | undefined
  /** The SHA-256 by which a presented mandate stands as a payment. */
  ap2_mandate_reference?: string | undefined
}

export type StartDeps = TaskDeskDeps & { money: Money }

/**
 * Begins a run: its task is submitted, given its input and credit, and agreed on, each step named after the call. Repeated, it goes
 * on where it stopped; there is one task for a call however often it is sent. Returns the id of the task.
 */
export async function beginRun(deps: StartDeps, agentId: string, asked: StartAsked, callId: string): Promise<string> {
  const taskId = taskIdOf(await deps.tokens.statusToken('tk', callId))
  const terms = termsOf(agentId, asked)
  const known = await findTask(deps.db, taskId)
  assertSame(known, terms)
  if (known === undefined) await assertStartable(deps, agentId, asked, railOf(asked.rail).takes.paidAgentUse)
  await deps.money.claimQuote(agentId, asked.quote_id, asked.quote_token)
  await assertPaysForIt(deps, agentId, asked)
  if (known?.entitlement_id == null) await agree(deps, { taskId, terms, asked, callId })
  return taskId
}

function termsOf(agent_id: string, { rail, tier, usage, on_gaps, callback_url, input }: StartAsked): TaskTerms {
  const manifest = { name: 'input', sha256: digestOf(input), bytes: Buffer.byteLength(canonicalJson(input)) }
  const objective = `One ${tier} run of ${rail} on the input of that digest.`
  return { agent_id, rail, tier, usage, on_gaps, callback_url, objective, input_manifest: [manifest] }
}

/** A call whose answer is not stored is the same call only with the same terms. */
function assertSame(known: TaskRow | undefined, terms: TaskTerms): void {
  if (known === undefined || known.terms_sha256 === digestOf(terms)) return
  throw refuse('idempotency_conflict', 'this key has started another run', 'Use a new key for another run.')
}

type Startable = Pick<StartAsked, 'rail' | 'tier' | 'callback_url' | 'input' | 'quote_id' | 'usage'>

/** What would be found out later is found out before anything is begun; `isSold`: such runs of the rail are. */
export async function assertStartable(
  deps: StartDeps,
  agentId: string,
  asked: Startable,
  isSold: boolean,
): Promise<void> {
  const { db, money, callbackHosts } = deps
  const { rail, tier, callback_url, input, quote_id, usage } = asked
  const agent = await findAgent(db, agentId)
  if (agent === undefined || !isSold || !isFor(agent, rail))
    throw refuse('rail_not_allowed', `the agent does not buy ${rail} here`, 'Use a rail of the pack and its manifest.')
  if (agent.trust_state !== 'trusted' && usage !== 'synthetic')
    throw refuse('trust_required', `the agent is ${agent.trust_state}`, 'Run it as synthetic, or wait to be trusted.')
  assertCallback(callbackHosts, callback_url, usage === 'synthetic')
  assertReadable(rail, input)
  const { quote, state } = await money.readQuote(quote_id)
  if (quote.rail !== rail || quote.tier !== tier)
    throw refuse('quote_mismatch', `the quote is for ${quote.rail} ${quote.tier}`, 'Ask for a quote of this run.')
  if (state === 'expired') throw refuse('quote_expired', `the quote ended at ${quote.expires_at}`, 'Ask for a new one.')
}

/** A mandate that was presented is named as the payment that it is; 404 for one that nobody presented. */
export async function withMandate(db: StartDeps['db'], asked: StartAsked): Promise<StartAsked> {
  const { ap2_mandate_reference: external_reference } = asked
  if (external_reference === undefined) return asked
  const presented = await findPresented(db, { method: 'ap2_mandate_reference', external_reference })
  if (presented !== undefined) return { ...asked, payment_reference_id: presented.payment_reference_id }
  throw refuse('not_found', 'no such mandate was presented', 'Present it at POST /api/agent-payment-rail first.')
}

/** What is named as payment is the caller's own and pays this quote. */
export async function assertPaysForIt(
  { db, money }: Pick<StartDeps, 'db' | 'money'>,
  agentId: string,
  paid: Pick<StartAsked, 'payment_reference_id' | 'entitlement_id' | 'quote_id'>,
): Promise<void> {
  const { payment_reference_id, entitlement_id, quote_id } = paid
  const named =
    payment_reference_id === undefined
      ? entitlement_id && (await money.readCredit(entitlement_id, agentId)).entitlement.entitlement_id
      : (await money.readReference(agentId, payment_reference_id)).payment_reference.entitlement_id
  if (named === undefined || named === (await findEntitlementOf(db, quote_id))?.entitlement_id) return
  throw refuse('quote_mismatch', 'this pays for another quote', 'Name what was paid for this quote, or nothing.')
}

type Agreement = { taskId: string; terms: TaskTerms; asked: StartAsked; callId: string }

async function agree(deps: StartDeps, { taskId, terms, asked, callId }: Agreement): Promise<void> {
  const actor = `agent:${terms.agent_id}`
  const act = (step: string): acts.Act => ({ eventId: `${callId}:${step}`, actor })
  const { state } = await acts.submitTask(deps, taskId, terms, { eventId: callId, actor })
  // It was over before it was agreed on: its ledger says why.
  if (state === 'closed') return
  await transaction(deps.db, async (tx) => {
    await provideInput(tx, taskId, asked.input)
    await requestCredit(deps, tx, await requireTask(tx, taskId), asked.quote_id)
  })
  const of = { task_id: taskId, terms_sha256: digestOf(terms) }
  const contract = await acts.prepareContract(deps, of, [], act('contract'))
  await transaction(deps.db, async (tx) => {
    const facts = { ...contract, task_id: taskId }
    const about = { task: await requireTask(tx, taskId), subject: contract.contract_id, kind: 'intake', facts }
    await writeTaskReceipt(deps, tx, about, await clockSeconds(tx))
  })
  const { terms_sha256 } = contract
  const { customer_account } = asked
  const acceptance = { accept_terms: true, agent_id: terms.agent_id, customer_account, terms_sha256 }
  await acts.acceptContract(deps, taskId, { terms_sha256, acceptance }, act('accepted'))
}
