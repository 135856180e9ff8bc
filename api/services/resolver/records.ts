import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { SERVICE_CHAIN } from '#domain/credit/usage-event.ts'
import { dayOf } from '#domain/receipts/statement.ts'
import type { UseDecision } from '#domain/resolver/candidate.ts'
import type { Listed } from '#domain/resolver/catalogue.ts'
import { SERVICE_OS } from '#domain/work-orders/work-order.ts'
import { type DerivedTokens, secretSha256 } from '../../../activities/keys/derived-tokens.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { appendUsageEvent, lockUsageChain } from '../../../activities/store/credit/usage-events.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { issueReceipt, type ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import {
  findWorkOrder,
  insertWorkOrder,
} from '../../../activities/store/work-orders/work-orders.ts'
import { orderView } from '../work-orders/intake.ts'

export type RecordDeps = ReceiptIssuer & {
  db: Kysely<Database>
  tokens: Pick<DerivedTokens, 'statusToken'>
}

type Use = { decision: UseDecision; next_action: string }

/** How a service is used that is no free tool; throws 400 `unsupported_request` for one that is only announced. */
export function useDecisionOn(service: Listed | 'candidate'): Use {
  if (service === 'candidate')
    return {
      decision: 'accepted_for_review',
      next_action: 'Wait for the review of the work order; its status token reads it.',
    }
  const { kind, state, price_usd, service_id } = service
  if (state !== 'available')
    throw refuse('unsupported_request', { detail: `${service_id} is announced, and not available` })
  if (kind === 'work_order')
    return {
      decision: 'quote_required',
      next_action: 'Send POST /api/work-orders with a step for each run; each is quoted.',
    }
  return price_usd === 0
    ? { decision: 'direct_free_tool', next_action: 'Call POST /api/service-scout.' }
    : {
        decision: 'quote_required',
        next_action: 'Ask for a quote with quote_run or POST /api/agents/quote.',
      }
}

type Requested = {
  service_id: string
  task: string
  agentId: string | undefined
  callId: string
  caller: string
}

/** Requests to use a service, each with an intake receipt. */
export class UseRecords {
  private readonly deps: RecordDeps

  constructor(deps: RecordDeps) {
    this.deps = deps
  }

  /** Records the decision. The same caller has one work order for a service, a task and a day. */
  async record(asked: Requested, { decision, next_action }: Use) {
    const { callId, service_id, caller } = asked
    const task_sha256 = digestOf(asked.task)
    const token = await this.deps.tokens.statusToken('wt', callId)
    const act = `use_${digestOf({ call: callId })}`
    return answerOnce(this.deps, { callId, subject: act, status: 200 }, async (tx) => {
      const day = dayOf(await clockSeconds(tx))
      const work_order_id = `wo_${digestOf({ service_id, task_sha256, caller, day })}`
      const isOrdered = decision === 'accepted_for_review'
      if (isOrdered) await order(tx, { asked, work_order_id, token })
      const facts = { service_id, task_sha256, use_decision: decision }
      const subject = isOrdered ? work_order_id : act
      const receipt = await this.#receipt(tx, subject, facts)
      const stored = isOrdered ? await findWorkOrder(tx, { work_order_id }) : undefined
      const work_order = stored === undefined ? null : await orderView(tx, stored)
      return { use_decision: decision, work_order, next_action, receipt }
    })
  }

  /** Adds the token of the work order, which is derived and never stored. */
  async withStatusToken(answer: Record<string, unknown>, callId: string) {
    const token = await this.deps.tokens.statusToken('wt', callId)
    const order = await findWorkOrder(this.deps.db, { status_token_sha256: secretSha256(token) })
    return { ...answer, status_token: order === undefined ? null : token }
  }

  async #receipt(tx: Tx, subject: string, facts: Record<string, unknown>) {
    const about = { subject, kind: 'intake', usage: 'operational', facts }
    return receiptView(await issueReceipt(this.deps, tx, about))
  }
}

/** An order without runs: what an operator does about it is outside of this service. */
async function order(
  tx: Tx,
  { asked, work_order_id, token }: { asked: Requested; work_order_id: string; token: string },
): Promise<void> {
  const { agentId, service_id, task } = asked
  const requester =
    agentId === undefined
      ? { name: 'a caller without an agent', contact: 'none' }
      : { agent_id: agentId }
  await insertWorkOrder(tx, {
    work_order_id,
    status_token_sha256: secretSha256(token),
    intake_kind: 'external_agent_request',
    requested_tool_id: SERVICE_OS,
    objective: `${service_id}: ${task}`,
    quote_id: null,
    agent_id: agentId ?? null,
    requester: JSON.stringify(requester),
    acceptance_criteria: JSON.stringify([]),
  })
}

type Ran = {
  service_id: string
  operation_id: string
  input: unknown
  result: Record<string, unknown>
}

/** Outcomes of free tools: an event of the usage ledger and a receipt for each. */
export class OutcomeRecords {
  private readonly deps: RecordDeps

  constructor(deps: RecordDeps) {
    this.deps = deps
  }

  record({ service_id, operation_id, input, result }: Ran, callId: string) {
    const subject = `run_service_${digestOf({ call: callId })}`
    return answerOnce(this.deps, { callId, subject, status: 200 }, async (tx) => {
      const seconds = await clockSeconds(tx)
      const recorded_at = new Date(seconds * 1000).toISOString()
      const event = await appendEvent(tx, { callId, service_id, recorded_at })
      const facts = {
        service_id,
        operation_id,
        input_sha256: digestOf(input),
        result_sha256: digestOf(result),
        usage_event_id: event.event_id,
      }
      const about = { subject, kind: 'service_run', usage: 'synthetic', facts }
      const jws = await issueReceipt(this.deps, tx, { ...about, nowSeconds: seconds })
      const outcome = { service_id, operation_id, result, recorded_at }
      return { outcome, usage_event_id: event.event_id, receipt: receiptView(jws) }
    })
  }
}

async function appendEvent(
  tx: Tx,
  { callId, service_id, recorded_at }: { callId: string; service_id: string; recorded_at: string },
) {
  await lockUsageChain(tx, SERVICE_CHAIN)
  const use = { kind: 'tool_call', rail: null, units: 1, unit: 'calls', credit_units: 0 } as const
  const none = { agent_id: null, run_id: null, usage_receipt_id: null }
  const event_id = `ue_${digestOf({ call: callId })}`
  const event = { event_id, chain: SERVICE_CHAIN, ...use, ...none, subject: service_id }
  return appendUsageEvent(tx, { ...event, occurred_at: recorded_at }, new Date(recorded_at))
}
