import { DomainError } from '../../workflows/domain/errors.ts'
import { isConfirmedBy } from '../../workflows/domain/payment-reference.ts'
import type { ProviderEvent } from '../../workflows/domain/provider-event.ts'
import { findChallenge } from '../store/challenges.ts'
import { transaction } from '../store/db.ts'
import { findEntitlement } from '../store/entitlements.ts'
import { findPresented, type ReferenceRow } from '../store/payment-references.ts'
import {
  type EventKey,
  findProviderEvent,
  insertProviderEvent,
  type ProviderEventRow,
  recordOutcome,
} from '../store/provider-events.ts'
import { refundReference } from './credit.ts'
import type { MoneyDeps } from './deps.ts'
import { presentReference, verifyReference } from './references.ts'

/** Stores a verified event; `duplicate` when it came before. Nothing is made of it yet. */
export async function receiveEvent(
  { db }: Pick<MoneyDeps, 'db'>,
  provider: string,
  event: ProviderEvent,
): Promise<{ key: EventKey; duplicate: boolean }> {
  const stored = await insertProviderEvent(db, provider, event)
  return { key: { provider, event_id: event.event_id }, duplicate: !stored }
}

/**
 * What became of an event: `verified`, `rejected` or `pending` (a wrong amount) as the reference now is, `refunded` or
 * `refunded_after_use`, `unmatched` where nobody presented it and it names no open challenge of ours, or `refused_…` with the
 * code of a rule that forbids what the event asks for, which an operator has to look at.
 */
export type EventOutcome = { outcome: string; reference: ReferenceRow | undefined }

/** Makes of a stored event what it proves; repeated, it does nothing more. */
export async function applyEvent(deps: MoneyDeps, key: EventKey): Promise<EventOutcome> {
  const event = await findProviderEvent(deps.db, key)
  if (event === undefined) throw new Error('an event that was stored is not there')
  const applied = await outcomeOf(deps, event)
  await recordOutcome(deps.db, key, applied.outcome, applied.reference?.payment_reference_id ?? null)
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

async function act(deps: MoneyDeps, event: ProviderEventRow, reference: ReferenceRow): Promise<EventOutcome> {
  if (event.type === 'payment.refunded' && reference.state !== 'presented' && reference.state !== 'pending') {
    const refund = {
      referenceId: reference.payment_reference_id,
      decidedBy: 'provider',
      reason: `event ${event.event_id}`,
    }
    const refunded = await transaction(deps.db, (tx) => refundReference(deps, tx, refund))
    return { outcome: refunded.afterUse ? 'refunded_after_use' : 'refunded', reference: refunded.reference }
  }
  const now = await verifyReference(deps, reference.payment_reference_id)
  return { outcome: now.state, reference: now }
}

/** The reference that the event's session was presented as, or the one that waits on its challenge for a provider. */
async function referenceOf({ db }: MoneyDeps, event: ProviderEventRow): Promise<ReferenceRow | undefined> {
  for (const method of ['hosted_checkout', 'payment_reference', 'invoice_reference'] as const) {
    const found = await findPresented(db, { method, external_reference: event.external_reference })
    if (found !== undefined) return found
  }
  const waiting =
    event.challenge_id === null ? undefined : await findPresented(db, { challenge_id: event.challenge_id })
  return waiting !== undefined && isConfirmedBy(waiting.method, 'provider') ? waiting : undefined
}

/** A customer who paid by a hosted link presented nothing: the provider's word does it, for the agent whose credit it is. */
async function presentFor(deps: MoneyDeps, event: ProviderEventRow): Promise<ReferenceRow | undefined> {
  if (event.type !== 'payment.settled' || event.challenge_id === null) return undefined
  const challenge = await findChallenge(deps.db, event.challenge_id)
  if (challenge?.state !== 'open' || challenge.lapsed || challenge.entitlement_id === null) return undefined
  const entitlement = await findEntitlement(deps.db, challenge.entitlement_id)
  if (entitlement === undefined) return undefined
  return presentReference(deps, {
    agentId: entitlement.agent_id,
    challengeId: challenge.challenge_id,
    method: 'hosted_checkout',
    externalReference: event.external_reference,
    alreadyPaid: true,
  })
}
