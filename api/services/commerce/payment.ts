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
import { findTaskOfCredit } from '../../../activities/store/runs/agent-runs.ts'
import { lockSubject } from '../../../activities/store/trust/subject-lock.ts'
import type { CommerceDeps } from './deps.ts'

/** What may have paid for a mission: the payment that its caller names, and the credit of its own tasks, if it has such. */
export type Paying = {
  readonly agentId: string | undefined
  readonly missionSha256: string
  readonly named: { payment_reference_id: string; amount_usd?: number | undefined } | undefined
  /**
   * The return package or work order of the mission with the credit of each task, null where it has none; undefined for a mission that
   * this service has no order of.
   */
  readonly ordered:
    | { readonly workId: string; readonly credits: readonly (string | null)[] }
    | undefined
}

/** Methods whose payment stands on the chain; the others end in the ledger. */
const onChain: readonly string[] = ['stablecoin_reference', 'x402_reference']

/** Why the chain does not confirm a payment of this mission now; null where it does, or where it is not asked. */
export async function chainFault(
  deps: CommerceDeps,
  paying: Omit<Paying, 'missionSha256'>,
): Promise<string | null> {
  const named = await namedOf(deps.db, paying)
  const { references } = await paymentsOf(deps.db, paying)
  const asked = (
    named === undefined ? references : withoutOne(references, named).concat(named)
  ).filter(({ method }) => onChain.includes(method))
  const verdicts = await Promise.all(asked.map((one) => checkReference(deps, one)))
  const fault = verdicts.find(({ kind }) => kind !== 'verified')
  return fault === undefined || fault.kind === 'verified' ? null : fault.reason
}

const withoutOne = (
  references: readonly ReferenceRow[],
  one: ReferenceRow | undefined,
): ReferenceRow[] =>
  references.filter(
    ({ payment_reference_id }) => payment_reference_id !== one?.payment_reference_id,
  )

/** The reference that is named; only one of this agent. */
async function namedOf(
  tx: Tx,
  { agentId, named }: Pick<Paying, 'agentId' | 'named'>,
): Promise<ReferenceRow | undefined> {
  if (agentId === undefined || named === undefined) return undefined
  const reference = await findReference(tx, named.payment_reference_id)
  return reference?.agent_id === agentId ? reference : undefined
}

/** This agent's payments of the tasks of a mission; `isWhole` where every task has one or no price. */
async function paymentsOf(
  tx: Tx,
  { agentId, ordered }: Pick<Paying, 'agentId' | 'ordered'>,
): Promise<{ references: ReferenceRow[]; isWhole: boolean }> {
  const references: ReferenceRow[] = []
  const credits = new Set(ordered?.credits)
  let isWhole = credits.size > 0
  for (const credit of credits) {
    const reference = credit === null ? undefined : await findLiveOf(tx, credit)
    if (reference !== undefined && reference.agent_id === agentId) references.push(reference)
    else isWhole &&= credit !== null && (await isFree(tx, credit))
  }
  return { references, isWhole }
}

/** The payment of a mission from the ledger; `fault` is what the chain said. A mission of several tasks is paid when each of them is. */
export async function readPayment(
  tx: Tx,
  paying: Paying,
  fault: string | null,
): Promise<{ facts: PaymentFacts; reference: ReferenceRow | undefined }> {
  const own = await namedOf(tx, paying)
  if (paying.named !== undefined && own === undefined)
    return { facts: { kind: 'unknown' }, reference: undefined }
  const { references, isWhole } = await paymentsOf(tx, paying)
  const open = await firstUnsettled(tx, withoutOne(references, own))
  const reference = own ?? open ?? references[0]
  if (reference === undefined)
    return { facts: { kind: isWhole ? 'free' : 'none' }, reference: undefined }
  // Two missions of one payment at once wait for each other, always in the order of the ids.
  const involved = [reference, ...withoutOne(references, reference)]
  for (const id of involved.map((one) => one.payment_reference_id).sort())
    await lockSubject(`commerce:${id}`).run(tx)
  const order = await orderOf(tx, paying, { reference, references })
  const isOpen = !isWhole || (own !== undefined && open !== undefined)
  if (order === 'this' && isOpen) return { facts: { kind: 'none' }, reference: undefined }
  const facts = {
    kind: 'recorded',
    method: reference.method,
    state: reference.state,
    amountUsd: reference.amount_usd,
    namedUsd: paying.named?.amount_usd ?? null,
    postedUsd: await postedUnder(tx, reference),
    order,
    chainFault: fault,
  } as const
  return { facts, reference }
}

async function firstUnsettled(
  tx: Tx,
  references: readonly ReferenceRow[],
): Promise<ReferenceRow | undefined> {
  for (const reference of references)
    if (
      reference.state !== 'verified' ||
      (await postedUnder(tx, reference)) !== reference.amount_usd
    )
      return reference
  return undefined
}

const isFree = async (tx: Tx, credit: string): Promise<boolean> =>
  (await findEntitlement(tx, credit))?.granted_units === 0

/** What the ledger moved under the settlement receipt, in whole usd. */
export async function postedUnder(
  tx: Tx,
  { settlement_receipt_id: receiptId }: ReferenceRow,
): Promise<number> {
  if (receiptId === null) return 0
  const legs = await listMovementsOf(tx, [receiptId])
  return legs.reduce((sum, { units }) => sum + Math.max(0, units), 0)
}

async function orderOf(
  tx: Tx,
  { ordered, missionSha256 }: Paying,
  { reference, references }: { reference: ReferenceRow; references: readonly ReferenceRow[] },
): Promise<'this' | 'other' | 'none'> {
  const { entitlement_id } = reference
  const others = withoutOne(references, reference)
  if (ordered !== undefined && others.length === references.length) return 'other'
  if (ordered === undefined && entitlement_id !== null)
    if ((await findTaskOfCredit(tx, entitlement_id)) !== undefined) return 'other'
  for (const one of [reference, ...others])
    if (await isPaymentUsed(tx, { ...one, missionSha256, workId: ordered?.workId })) return 'other'
  return ordered === undefined ? 'none' : 'this'
}
