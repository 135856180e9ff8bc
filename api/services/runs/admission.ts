import { refuse } from '#domain/core/errors.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import type { TaskTerms } from '#domain/tasks/terms.ts'
import { isUnpaidCheck } from '../../../activities/credit/quotes.ts'
import type { CarriedPayment } from '../../../activities/payments/payment-header.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import { findEntitlementOf } from '../../../activities/store/credit/entitlements.ts'
import { findLiveOf, findPresented } from '../../../activities/store/payments/payment-references.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { isFor } from '../../auth/credential-standing.ts'
import type { CreditService } from '../credit/credit.ts'
import type { PaymentService } from '../credit/payments.ts'
import type { QuoteService } from '../credit/quotes.ts'
import { assertCallback } from '../inputs/asked-input.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'

/** A run as its agent starts it; at most one of the ids says what pays for it. */
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
  /** The payment that the call itself carries. */
  carried_payment?: CarriedPayment | undefined
  /** The SHA-256 of a presented mandate, by which its payment is found. */
  ap2_mandate_reference?: string | undefined
}

type Deps = Pick<TaskDeps, 'db' | 'callbackHosts'> & {
  quotes: Pick<QuoteService, 'read'>
  uploadChecks: Pick<UploadChecks, 'assertInput'>
  payments: Pick<PaymentService, 'readReference'>
  credit: Pick<CreditService, 'read'>
}
type Startable = Pick<StartAsked, 'rail' | 'tier' | 'callback_url' | 'input' | 'quote_id' | 'usage'>
type Buyer = { agentId: string; isSold: boolean }

/** Refuses before anything is written what the run would be refused later; `isSold`: the service sells such runs of the rail. */
export async function assertStartable(
  { db, quotes, callbackHosts, uploadChecks }: Omit<Deps, 'payments' | 'credit'>,
  { agentId, isSold }: Buyer,
  asked: Startable,
): Promise<void> {
  const { rail, tier, callback_url, input, usage } = asked
  const agent = await findAgent(db, agentId)
  if (agent === undefined || !isSold || !isFor(agent, rail))
    throw refuse('rail_not_allowed', {
      detail: `the agent may not buy ${rail} here`,
      next_action: 'Use a rail of the pack and its manifest.',
    })
  if (agent.trust_state !== 'trusted' && usage !== 'synthetic')
    throw refuse('trust_required', {
      detail: `the agent is ${agent.trust_state}`,
      next_action: 'Run it as synthetic, or wait to be trusted.',
    })
  assertCallback(callbackHosts, callback_url, usage === 'synthetic')
  await uploadChecks.assertInput({ owner: agentId, rail, tier, input })
  await assertQuoted(quotes, asked)
}

/** Throws 409 `quote_mismatch` for a quote of another run, 410 `quote_expired`. */
export async function assertQuoted(
  quotes: Deps['quotes'],
  { quote_id, rail, tier }: Pick<StartAsked, 'quote_id' | 'rail' | 'tier'>,
): Promise<void> {
  const { quote, state } = await quotes.read(quote_id)
  if (quote.rail !== rail || quote.tier !== tier)
    throw refuse('quote_mismatch', {
      detail: `the quote is for ${quote.rail} ${quote.tier}`,
    })
  if (state === 'expired')
    throw refuse('quote_expired', { detail: `the quote expired at ${quote.expires_at}` })
}

/** Names a presented mandate by its payment reference; 404 for a mandate that was not presented. */
export async function withMandate(db: Deps['db'], asked: StartAsked): Promise<StartAsked> {
  const { ap2_mandate_reference: external_reference } = asked
  if (external_reference === undefined) return asked
  const presented = await findPresented(db, { method: 'ap2_mandate_reference', external_reference })
  if (presented !== undefined)
    return { ...asked, payment_reference_id: presented.payment_reference_id }
  throw refuse('not_found', {
    detail: 'no such mandate was presented',
    next_action: 'Present it at POST /api/agent-payment-rail first.',
  })
}

type Paid = Pick<StartAsked, 'payment_reference_id' | 'entitlement_id' | 'quote_id'>

/** Throws unless the named payment or credit is the agent's own and pays this quote: 404, 403 `not_owner`, 409 `quote_mismatch`. */
export async function assertPaysQuote(
  deps: Omit<Deps, 'uploadChecks'>,
  agentId: string,
  paid: Paid,
): Promise<void> {
  const entitlementId = await namedEntitlement(deps, agentId, paid)
  if (entitlementId === undefined) return
  const expected = (await findEntitlementOf(deps.db, paid.quote_id))?.entitlement_id
  if (entitlementId === expected) return
  throw refuse('quote_mismatch', {
    detail: 'this pays for another quote',
    next_action: 'Name what was paid for this quote, or nothing.',
  })
}

async function namedEntitlement(
  { payments, credit }: Pick<Deps, 'payments' | 'credit'>,
  agentId: string,
  { payment_reference_id, entitlement_id }: Paid,
): Promise<string | null | undefined> {
  if (payment_reference_id !== undefined) {
    const { payment_reference } = await payments.readReference(agentId, payment_reference_id)
    return payment_reference.entitlement_id
  }
  if (entitlement_id === undefined) return undefined
  return (await credit.read(entitlement_id, agentId)).entitlement.entitlement_id
}

/** What a start names to pay for its quote; a synthetic run takes no money. */
export type Funding = Pick<
  StartAsked,
  | 'usage'
  | 'quote_id'
  | 'payment_reference_id'
  | 'entitlement_id'
  | 'wallet_id'
  | 'ap2_mandate_reference'
>

/** Whether a start costs nothing or names what pays for it, or its quote is paid or being paid; what is named is checked by the start. */
export async function isPaidFor(
  { db, quotes }: Pick<Deps, 'db'> & { quotes: Pick<QuoteService, 'totalUsd'> },
  { usage, quote_id, ...named }: Funding,
): Promise<boolean> {
  const { payment_reference_id, entitlement_id, wallet_id, ap2_mandate_reference } = named
  const pays = payment_reference_id ?? entitlement_id ?? wallet_id ?? ap2_mandate_reference
  if (usage === 'synthetic' || pays !== undefined) return true
  if ((await quotes.totalUsd(quote_id)) === 0) return true
  const entitlement = await findEntitlementOf(db, quote_id)
  if (entitlement === undefined) return false
  if (entitlement.state !== 'pending') return true
  const live = await findLiveOf(db, entitlement.entitlement_id)
  return live !== undefined && !isUnpaidCheck(live)
}
