import type { PaymentFacts } from '#domain/commerce/facts.ts'
import { checkReference } from '../../../activities/credit/checks.ts'
import { isPaymentUsed } from '../../../activities/store/commerce/proofs.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { listMovementsOf } from '../../../activities/store/credit/postings.ts'
import {
  findLiveOf,
  findReference,
  type ReferenceRow,
} from '../../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findTaskOfCredit } from '../../../activities/store/tasks/agent-runs.ts'
import { lockSubject } from '../../../activities/store/trust/subject-lock.ts'
import type { CommerceDeps } from './deps.ts'

/** What a mission is known to have been paid with: the credit of its own tasks, if it has such. */
export type Paying = {
  readonly agentId: string | undefined
  readonly missionSha256: string
  readonly named: { payment_reference_id: string; amount_usd?: number | undefined } | undefined
  /** Undefined for a mission that this service has no order of. */
  readonly entitlements: readonly string[] | undefined
}

/** Methods whose payment stands on the chain; the others end in the ledger. */
const onChain: readonly string[] = ['stablecoin_reference', 'x402_reference']

/** Why the chain does not confirm the payment of this reference now; null where it does, or where it is not asked. */
export async function chainFault(
  deps: CommerceDeps,
  { agentId, named, entitlements }: Omit<Paying, 'missionSha256'>,
): Promise<string | null> {
  const reference = await referenceOf(deps.db, { agentId, named, entitlements })
  if (reference === undefined || !onChain.includes(reference.method)) return null
  const verdict = await checkReference(deps, reference)
  return verdict.kind === 'verified' ? null : verdict.reason
}

/** The reference that is named, or that paid for the credit of the mission; only one of this agent. */
async function referenceOf(
  tx: Tx,
  { agentId, named, entitlements = [] }: Omit<Paying, 'missionSha256'>,
): Promise<ReferenceRow | undefined> {
  if (agentId === undefined) return undefined
  if (named !== undefined) {
    const reference = await findReference(tx, named.payment_reference_id)
    return reference?.agent_id === agentId ? reference : undefined
  }
  for (const entitlementId of entitlements) {
    const reference = await findLiveOf(tx, entitlementId)
    if (reference?.agent_id === agentId) return reference
  }
  return undefined
}

/** The payment of a mission from the ledger; `fault` is what the chain said. */
export async function readPayment(
  tx: Tx,
  paying: Paying,
  fault: string | null,
): Promise<{ facts: PaymentFacts; reference: ReferenceRow | undefined }> {
  const { named } = paying
  const reference = await referenceOf(tx, paying)
  if (reference === undefined) {
    if (named !== undefined) return { facts: { kind: 'unknown' }, reference }
    return { facts: { kind: (await isFree(tx, paying)) ? 'free' : 'none' }, reference }
  }
  // Two missions that name one payment at once wait for each other.
  await lockSubject(`commerce:${reference.payment_reference_id}`).run(tx)
  const facts = {
    kind: 'recorded',
    method: reference.method,
    state: reference.state,
    amountUsd: reference.amount_usd,
    namedUsd: named?.amount_usd ?? null,
    postedUsd: await postedUnder(tx, reference),
    order: await orderOf(tx, paying, reference),
    chainFault: fault,
  } as const
  return { facts, reference }
}

/** Whether all credit of the mission's tasks is of a price of nothing. */
async function isFree(tx: Tx, { entitlements = [] }: Paying): Promise<boolean> {
  const credits = await Promise.all(entitlements.map((id) => findEntitlement(tx, id)))
  return credits.length > 0 && credits.every((credit) => credit?.granted_units === 0)
}

/** What the ledger moved under the settlement receipt, in whole usd. */
async function postedUnder(
  tx: Tx,
  { settlement_receipt_id: receiptId }: ReferenceRow,
): Promise<number> {
  if (receiptId === null) return 0
  const legs = await listMovementsOf(tx, [receiptId])
  return legs.reduce((sum, { units }) => sum + Math.max(0, units), 0)
}

async function orderOf(
  tx: Tx,
  { entitlements, missionSha256 }: Paying,
  { entitlement_id, payment_reference_id }: ReferenceRow,
): Promise<'this' | 'other' | 'none'> {
  if (entitlements !== undefined)
    return entitlement_id !== null && entitlements.includes(entitlement_id) ? 'this' : 'other'
  const task = entitlement_id === null ? undefined : await findTaskOfCredit(tx, entitlement_id)
  if (task !== undefined) return 'other'
  return (await isPaymentUsed(tx, payment_reference_id, missionSha256)) ? 'other' : 'none'
}
