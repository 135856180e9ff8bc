import { DomainError } from '#domain/core/errors.ts'
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
import {
  bindProvider,
  listSpokenOf,
  type ReferenceRow,
} from '../store/payments/payment-references.ts'
import { findChallenge } from '../store/payouts/challenges.ts'
import type { MoneyDeps } from './deps.ts'
import { presentReference } from './references.ts'
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
 * The outcome of an event: `verified`, `rejected` or `pending` (a wrong amount) as the reference now is; how the payment stands after
 * a refund or dispute; `unmatched` if no caller presented it and it names no open challenge of ours; or `refused_…` with the code of a
 * rule that forbids what the event asks for. An operator must check every event that is not simply applied.
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
    const reference = (await referenceOf(deps, event)) ?? (await presentFor(deps, event))
    return reference === undefined ? unmatched : await act(deps, event, reference)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { outcome: `refused_${error.refusal.code}`, reference: undefined }
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
  return applyReturns(deps, await verifyReference(deps, payment_reference_id), event.event_id)
}

/** The reference that the event's session was presented as, or else the one that waits on its challenge for a provider. */
async function referenceOf(
  { db }: MoneyDeps,
  event: ProviderEventRow,
): Promise<ReferenceRow | undefined> {
  const names = await namesIn(db, event)
  const spokenOf = await listSpokenOf(db, { provider: event.provider, ...names })
  return (
    spokenOf.find(({ external_reference }) => names.references.includes(external_reference)) ??
    spokenOf[0]
  )
}

/** A customer who paid by a hosted link presented nothing: the provider's word does it, for the agent whose credit it is. */
async function presentFor(
  deps: MoneyDeps,
  event: ProviderEventRow,
): Promise<ReferenceRow | undefined> {
  if (event.type !== 'payment.settled' || event.challenge_id === null) return undefined
  const challenge = await findChallenge(deps.db, event.challenge_id)
  if (challenge?.state !== 'open' || challenge.lapsed || challenge.entitlement_id === null)
    return undefined
  const entitlement = await findEntitlement(deps.db, challenge.entitlement_id)
  if (entitlement === undefined) return undefined
  return presentReference(deps, {
    agentId: entitlement.agent_id,
    challengeId: challenge.challenge_id,
    method: 'hosted_checkout',
    externalReference: event.external_reference,
    provider: event.provider,
    alreadyPaid: true,
  })
}
