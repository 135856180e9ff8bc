import { DomainError, refuse } from '#domain/core/errors.ts'
import type { TaskState } from '#domain/tasks/lifecycle.ts'
import { responseToPayment } from '../../../activities/credit/payment-response.ts'
import type { Changes } from '../../../activities/store/postgres/changes.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
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
/** A stored run that is to be paid; `path` is where it was started. */
type Paying = { agentId: string; taskId: string; asked: StartAsked; path: string }
type Challenge = Awaited<ReturnType<PaymentService['challenge']>>
type Entitlement = Awaited<ReturnType<PaymentService['ofTask']>>['entitlement']

/**
 * Pays for a stored run by what its start names, and reads it: without a challenge once nothing is owed, with `PAYMENT-RESPONSE` for a
 * payment that the call carries. Throws 402 `payment_required` where nothing pays.
 */
export async function payForRun<
  Started extends { run: { state: TaskState }; entitlement: Entitlement; challenge: unknown },
>(deps: Deps, paying: Paying, read: () => Promise<Started>) {
  const { gateway, payments } = deps
  const { taskId, asked, path } = paying
  const pays = await pay(deps, paying).catch((error) => refuseWithOffer(deps, paying, error))
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

/** Pays from a named wallet or by a carried payment, or verifies a named one. False where nothing pays for the run. */
async function pay({ db, payments, credit }: Deps, { agentId, taskId, asked }: Paying) {
  const { entitlement } = await transaction(db, (tx) => payments.ofTask(tx, taskId))
  if (entitlement?.state !== 'pending') return true
  const { quote_id, payment_reference_id } = asked
  if (payment_reference_id !== undefined) {
    const by = { payment_reference_id }
    const funded = await credit.fund(agentId, entitlement.entitlement_id, by)
    return ['presented', 'pending', 'verified'].includes(funded.payment_reference.state)
  }
  const payment = await carriedPayment(asked)
  if (payment === undefined) return false
  await payments.present({ agentId }, { quote_id }, payment)
  return true
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
  if (carried_payment === undefined) return undefined
  const proof = { payment: await carried_payment() }
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
  { asked, path }: Paying,
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
