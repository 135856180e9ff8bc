import type { Kysely } from 'kysely'
import { refuse } from '#domain/core/errors.ts'
import type { PaymentMethod } from '#domain/core/payment-methods.ts'
import type { Presented } from '../../../activities/credit/presenting.ts'
import { type PresentInput, presentReference } from '../../../activities/credit/references.ts'
import { verifyReference } from '../../../activities/credit/verify-reference.ts'
import type { ChallengeRow } from '../../../activities/store/payments/challenges.ts'
import {
  findReference,
  type ReferenceRow,
} from '../../../activities/store/payments/payment-references.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { PaymentDeps } from './deps.ts'
import { notifyTasks } from './notify-tasks.ts'

/** A payment as its payer presents it. */
export type PaymentAsked = {
  method: PaymentMethod
  external_reference: string
  payer?: string | undefined
  proof?: Record<string, string | undefined> | undefined
  evidence?: Record<string, string | undefined> | undefined
  provider?: string | undefined
}
type Presentation<Opened extends ChallengeRow | undefined> = Pick<
  PresentInput<Opened>,
  'agentId' | 'open' | 'find' | 'amountUsd'
> & { asked: PaymentAsked }

/**
 * Presents a payment and checks its proof once; every later read checks a payment that is not decided yet. Undefined where nothing is
 * owed.
 */
export async function presentAndVerify<Opened extends ChallengeRow | undefined>(
  deps: PaymentDeps,
  { asked, ...presentation }: Presentation<Opened>,
) {
  const input = { ...presentation, ...presentedOf(deps, asked) }
  const presented = await presentReference(deps, input)
  return presented === undefined ? presented : verifyAndNotify(deps, presented)
}

/** Checks the proof of a payment that is not decided yet, and notifies the tasks that it pays for. */
export async function verifyAndNotify(
  deps: PaymentDeps,
  presented: ReferenceRow,
): Promise<ReferenceRow> {
  const reference = await verified(deps, presented)
  const { entitlement_id: entitlementId } = reference
  if (entitlementId !== null) await notifyTasks(deps, { entitlementId })
  return reference
}

async function verified(deps: PaymentDeps, reference: ReferenceRow): Promise<ReferenceRow> {
  if (reference.state !== 'presented' && reference.state !== 'pending') return reference
  if (isSignedPayment(reference)) await deps.notifyPayment(reference.external_reference)
  return verifyReference(deps, reference.payment_reference_id)
}

/** An x402 payment, also one that an AP2 mandate names: it is known by the id of the payment. */
const isSignedPayment = ({ method, payer }: ReferenceRow): boolean =>
  method === 'x402_reference' || (method === 'ap2_mandate_reference' && payer !== null)

/** A payment reference of this agent; 404, 403 `not_owner`. */
export async function ownReference(
  db: Kysely<Database>,
  agentId: string,
  referenceId: string,
): Promise<ReferenceRow> {
  const reference = await findReference(db, referenceId)
  if (reference === undefined) throw refuse('not_found', { detail: 'no such payment reference' })
  if (reference.agent_id === agentId) return reference
  throw refuse('not_owner', { detail: 'the payment reference belongs to another agent' })
}

/** Throws 400 `invalid_request` for a provider that is not configured, and for a hosted checkout whose provider is not clear. */
export function presentedOf(
  { providers }: Pick<PaymentDeps, 'providers'>,
  { method, external_reference, payer, proof, evidence, provider }: PaymentAsked,
) {
  const unclear = provider === undefined && method === 'hosted_checkout' && providers.length !== 1
  if (unclear || (provider !== undefined && !providers.includes(provider)))
    throw noProvider(providers)
  const given = <T extends object>(of: T | undefined) =>
    Object.fromEntries(Object.entries(of ?? {}).filter(([, value]) => value !== undefined))
  return {
    method,
    externalReference: external_reference,
    ...(payer === undefined ? {} : { payer }),
    ...(provider === undefined ? {} : { provider }),
    proof: given(proof) as NonNullable<Presented['proof']>,
    evidence: given(evidence),
  }
}

function noProvider(providers: readonly string[]) {
  const errors = [{ pointer: '/provider', message: 'is not one configured payment provider' }]
  if (providers.length === 0)
    return refuse('invalid_request', {
      detail: 'no payment provider is configured',
      next_action: 'Pay by another of the accepted methods.',
      errors,
    })
  return refuse('invalid_request', {
    detail: 'the payment provider is not clear',
    next_action: `Name one of: ${providers.join(', ')}.`,
    errors,
  })
}
