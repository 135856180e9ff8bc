import { DomainError, refuse } from '#domain/core/errors.ts'
import type { TaskState } from '#domain/tasks/lifecycle.ts'
import { responseToPayment } from '../../../activities/credit/payment-response.ts'
import {
  payableChallenge,
  requirePayable,
  requireQuote,
} from '../../../activities/credit/quotes.ts'
import { findEntitlementOf } from '../../../activities/store/credit/entitlements.ts'
import type { Changes } from '../../../activities/store/postgres/changes.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { findTask } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { CreditService } from '../credit/credit.ts'
import type { PaymentService } from '../credit/payments.ts'
import type { StartAsked } from './admission.ts'

type Deps = Pick<TaskDeps, 'db'> & {
  baseUrl: string
  gateway: Pick<TaskGateway, 'advance'>
  payments: PaymentService
  credit: CreditService
  changes: Changes
  settleWaitMs: number
}
/** A run that is to be stored and paid; `path` is where it is started, and `store` stores it where it is not stored yet. */
type Starting = {
  agentId: string
  taskId: string
  asked: StartAsked
  path: string
  store: (tx: Tx) => Promise<void>
}
type Challenge = Awaited<ReturnType<PaymentService['challenge']>>
type Entitlement = Awaited<ReturnType<PaymentService['ofTask']>>['entitlement']

/**
 * Stores a run and pays for it by what its start names, in one transaction, wakes its workflow and reads it: without a challenge once
 * nothing is owed, with `PAYMENT-RESPONSE` for a payment that the call carries. Throws 402 `payment_required` where nothing pays.
 */
export async function startRun<
  Started extends { run: { state: TaskState }; entitlement: Entitlement; challenge: unknown },
>(deps: Deps, starting: Starting, read: () => Promise<Started>) {
  const { gateway, payments } = deps
  const { taskId, asked, path } = starting
  const pays = await storeAndPay(deps, starting).catch(async (error) => {
    // What was stored stays where its payment is refused.
    if ((await findTask(deps.db, taskId)) !== undefined)
      await gateway.advance(taskId).catch(() => undefined)
    return refuseWithOffer(deps, starting, error)
  })
  await gateway.advance(taskId)
  const headers =
    asked.carried_payment === undefined ? {} : await responseToPayment(deps, asked.quote_id)
  const { entitlement, ...started } = await read()
  if (!isUnpaid(started.run, entitlement))
    return { headers, started: { ...started, challenge: null } }
  if (pays) return { headers, started }
  const challenge = await payments.challenge(asked.quote_id).catch(unlessFunded)
  if (challenge !== undefined)
    throw unpaid(challenge, { url: `${deps.baseUrl}${path}`, run: started.run })
  // It was paid since it was read, so it is no refusal.
  await gateway.advance(taskId)
  const { entitlement: _funded, ...funded } = await read()
  return { headers, started: { ...funded, challenge: null } }
}

/** Stores the run, paid from a named wallet or by a carried payment, and verifies a named one. False where nothing pays for it. */
async function storeAndPay(deps: Deps, starting: Starting): Promise<boolean> {
  const { db, payments, credit } = deps
  const { agentId, taskId, asked, store } = starting
  const { payment_reference_id, wallet_id, carried_payment } = asked
  const isNamed = payment_reference_id !== undefined
  const carries = !isNamed && (wallet_id !== undefined || carried_payment !== undefined)
  if (carries && (await isOwed(db, asked))) return payAtOnce(deps, starting)
  await transaction(db, store)
  const { entitlement } = await transaction(db, (tx) => payments.ofTask(tx, taskId))
  if (entitlement?.state !== 'pending') return true
  if (!isNamed) return false
  const by = { payment_reference_id }
  const funded = await credit.fund(agentId, entitlement.entitlement_id, by)
  return ['presented', 'pending', 'verified'].includes(funded.payment_reference.state)
}

/** Stores the run with the payment that its start carries. */
async function payAtOnce(
  { db, payments }: Deps,
  { agentId, taskId, asked, store }: Starting,
): Promise<true> {
  const open = async (tx: Tx, challengeId: string) => {
    await store(tx)
    const { entitlement } = await payments.ofTask(tx, taskId)
    if (entitlement?.state !== 'pending') return undefined
    return requirePayable(tx, asked.quote_id, challengeId)
  }
  const payment = await carriedPayment(asked).catch(async (error: unknown) => {
    await transaction(db, store)
    throw error
  })
  // The run is not stored to find out what is paid, and its receipts are signed once.
  const find = (tx: Tx, challengeId: string) => payableChallenge(tx, asked.quote_id, challengeId)
  await payments.presentFor(agentId, { open, find }, payment)
  return true
}

/** Whether a run of this start has to be paid, as its quote stands now. */
async function isOwed(db: Tx, { usage, quote_id }: StartAsked): Promise<boolean> {
  if (usage === 'synthetic') return false
  const { total_usd } = await requireQuote(db, quote_id)
  const state = (await findEntitlementOf(db, quote_id))?.state
  return total_usd > 0 && (state === undefined || state === 'pending')
}

/** States from which a payment advances a task. */
const payableStates: readonly TaskState[] = ['trusted', 'quoted', 'credit_pending']

/** Whether a run waits for its payment. */
export const isUnpaid = ({ state }: { state: TaskState }, entitlement: Entitlement): boolean =>
  payableStates.includes(state) && entitlement?.state === 'pending'

/** The payment that the call itself makes; a named wallet takes precedence over a signed payment. */
async function carriedPayment({
  wallet_id,
  carried_payment,
}: Pick<StartAsked, 'wallet_id' | 'carried_payment'>) {
  if (wallet_id !== undefined)
    return { method: 'agent_allowance', external_reference: wallet_id, payer: wallet_id } as const
  const proof = { payment: await carried_payment?.() }
  return { method: 'x402_reference', external_reference: 'PAYMENT-SIGNATURE', proof } as const
}

/** The 402 of an unpaid run. An x402 client can pay it by sending the same call with the payment. */
function unpaid(challenge: Challenge, { url, run }: { url: string; run: object }): DomainError {
  const { amount_usd, next_action } = challenge
  return refuse('payment_required', {
    detail: `the run costs ${amount_usd} usd`,
    next_action: `Send the same call with PAYMENT-SIGNATURE for one of accepts. Or: ${next_action} Then send the same call again.`,
    extra: { ...offerOf(challenge, url), run },
  })
}

function offerOf(challenge: Challenge, url: string) {
  const { accepts, accepted_methods } = challenge
  const resource = { url, description: 'A rail run', mimeType: 'application/json' }
  return { x402Version: 2, resource, accepts, accepted_methods, challenge }
}

/** A payment that cannot be read is refused with the offer, as at any other price. */
async function refuseWithOffer(
  { payments, baseUrl }: Deps,
  { asked, path }: Starting,
  error: unknown,
): Promise<never> {
  if (!(error instanceof DomainError)) throw error
  const { refusal } = error
  if (refusal.code !== 'payment_invalid' || refusal.extra !== undefined) throw error
  const challenge = await payments.challenge(asked.quote_id)
  throw new DomainError({ ...refusal, extra: offerOf(challenge, `${baseUrl}${path}`) })
}

function unlessFunded(error: unknown): undefined {
  if (error instanceof DomainError && error.refusal.code === 'already_funded') return undefined
  throw error
}
