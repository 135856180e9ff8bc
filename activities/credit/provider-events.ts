import { lastingRefusal } from '#domain/core/errors.ts'
import type { ProviderEvent } from '#domain/payments/provider-event-type.ts'
import { findEntitlement } from '../store/credit/entitlements.ts'
import {
  type EventKey,
  findProviderEvent,
  insertProviderEvent,
  namesIn,
  type ProviderEventRow,
  recordOutcome,
} from '../store/credit/provider-events.ts'
import { findChallenge } from '../store/payments/challenges.ts'
import {
  bindProvider,
  findPresented,
  listSpokenOf,
  type ReferenceRow,
} from '../store/payments/payment-references.ts'
import type { MoneyDeps } from './deps.ts'
import { isReplaceable } from './quotes.ts'
import { openedAs, presentReference } from './references.ts'
import { applyReturns } from './returned-payments.ts'
import { verifyReference } from './verify-reference.ts'

/** Stores a verified event without applying it; `duplicate` if it was stored before. */
export async function receiveEvent(
  { db }: Pick<MoneyDeps, 'db'>,
  provider: string,
  event: ProviderEvent,
): Promise<{ key: EventKey; duplicate: boolean }> {
  const stored = await insertProviderEvent(db, provider, event)
  return { key: { provider, event_id: event.event_id }, duplicate: !stored }
}

/**
 * The outcome of an event: `verified`, `rejected` or `pending` (a wrong amount, or nothing is named) as the reference now is; how the
 * payment stands after a refund or dispute; `paid_twice` if another payment settled what it names; `unmatched` if no caller presented
 * it and it names no open challenge of ours; or `refused_…` with the code of a rule that forbids what the event asks for. An operator
 * must check every event that is not simply applied.
 */
export type EventOutcome = { outcome: string; reference: ReferenceRow | undefined }

/** Applies a stored event. A repeat changes nothing. */
export async function applyEvent(deps: MoneyDeps, key: EventKey): Promise<EventOutcome> {
  const event = await findProviderEvent(deps.db, key)
  if (event === undefined) throw new Error('an event that was stored is not there')
  const applied = await outcomeOf(deps, event)
  await recordOutcome(
    deps.db,
    key,
    applied.outcome,
    applied.reference?.payment_reference_id ?? null,
  )
  return applied
}

async function outcomeOf(deps: MoneyDeps, event: ProviderEventRow): Promise<EventOutcome> {
  try {
    const { own, others } = await spokenOf(deps, event)
    // Rejects what was presented under the name of a payment for something else.
    for (const other of others) await verifyReference(deps, other.payment_reference_id)
    const found = own.length > 0 ? own : await presentFor(deps, event)
    const applied: EventOutcome[] = []
    for (const reference of found) applied.push(await act(deps, event, reference))
    const isConfirmed = ({ reference }: EventOutcome) => reference?.settlement_receipt_id != null
    return applied.find(isConfirmed) ?? applied[0] ?? unmatched
  } catch (error) {
    return { outcome: `refused_${lastingRefusal(error).code}`, reference: undefined }
  }
}

const unmatched: EventOutcome = { outcome: 'unmatched', reference: undefined }

async function act(
  deps: MoneyDeps,
  event: ProviderEventRow,
  reference: ReferenceRow,
): Promise<EventOutcome> {
  const { payment_reference_id } = reference
  await bindProvider(deps.db, payment_reference_id, event.provider)
  return applyReturns(deps, await verifyReference(deps, payment_reference_id), event)
}

/** How many references of one name an event is applied to; anyone may present a name. */
const SPOKEN_OF = 50

/**
 * The references that the event may be about: of those presented under its name, and of the one that waits on its challenge for a
 * provider, those that pay what it names. Where it names nothing, all may be meant.
 */
async function spokenOf(
  { db }: MoneyDeps,
  event: ProviderEventRow,
): Promise<{ own: ReferenceRow[]; others: ReferenceRow[] }> {
  const { references, challenges, wallets } = await namesIn(db, event)
  const named = { provider: event.provider, references, challenges }
  const targets = [...challenges, ...wallets]
  const isOwn = ({ challenge_id, wallet_id }: ReferenceRow) =>
    targets.length === 0 || targets.includes(challenge_id ?? wallet_id ?? '')
  const all = await listSpokenOf(db, named, SPOKEN_OF)
  return { own: all.filter(isOwn), others: all.filter((one) => !isOwn(one)) }
}

/** A customer who paid by a hosted link presented nothing: the provider's word does it, for the agent whose credit it is. */
async function presentFor(deps: MoneyDeps, event: ProviderEventRow): Promise<ReferenceRow[]> {
  if (event.type !== 'payment.settled' || event.challenge_id === null) return []
  const challenge = await findChallenge(deps.db, event.challenge_id)
  if (challenge === undefined || challenge.lapsed || challenge.entitlement_id === null) return []
  const checked = challenge.state === 'pending' && (await findPresented(deps.db, challenge))
  if (challenge.state !== 'open' && !(checked && isReplaceable(checked))) return []
  const entitlement = await findEntitlement(deps.db, challenge.entitlement_id)
  if (entitlement === undefined) return []
  const presented = await presentReference(deps, {
    agentId: entitlement.agent_id,
    open: openedAs(challenge.challenge_id),
    method: 'hosted_checkout',
    externalReference: event.external_reference,
    provider: event.provider,
    alreadyPaid: true,
  })
  return [presented]
}
