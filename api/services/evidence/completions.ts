import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { isOnePayment, names } from '#domain/payments/provider-event.ts'
import {
  afterCompletion,
  type CompletionState,
  completionOf,
  type MovementType,
} from '#domain/payments/receipt-completion.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { paymentOf } from '../../../activities/credit/returned-payments.ts'
import type { ReceiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import {
  findOwnReference,
  type ReferenceRow,
} from '../../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { usageBy } from '../commerce/gather.ts'
import { postedUnder } from '../commerce/payment.ts'
import { eventView } from '../credit/usage-ledger.ts'
import type { ReceiptService } from '../receipts/verification.ts'
import type { Asking, EvidenceDeps } from './analyses.ts'
import { recordRelay, relayIdOf, sampleUse } from './relays.ts'

type CompletionDeps = Pick<
  EvidenceDeps,
  'db' | 'issuer' | 'environment' | 'signReceipt' | 'baseUrl' | 'samples'
> & { readonly receipts: Pick<ReceiptService, 'verify'> }
export type Movement = {
  rail_key?: RailKey | undefined
  movement_amount_units?: number | undefined
  movement_type?: MovementType | undefined
  payment_reference?: string | undefined
  provider_session_id?: string | undefined
}

/** Completes a movement by what a provider and the ledger say of it. It funds, posts and settles nothing. */
export class ReceiptCompletions {
  private readonly deps: CompletionDeps

  constructor(deps: CompletionDeps) {
    this.deps = deps
  }

  /** Throws 422 `amount_mismatch` and `evidence_mismatch` where a payment of the caller is another than it says. */
  async complete(movement: Movement, { agent, callId }: Asking) {
    const agentId = agent?.agentId
    const before = await readOwn(this.deps.db, movement, agentId)
    const verified = await this.#verified(before)
    const relayId = relayIdOf(callId)
    return answerOnce(this.deps, { callId, subject: relayId, status: 200 }, async (tx) => {
      const own = await readOwn(tx, movement, agentId)
      const isProven =
        own !== undefined &&
        own.settlement_receipt_id === verified &&
        (await postedUnder(tx, own)) === own.amount_usd
      const isTrial = Object.keys(movement).length === 0
      const facts = own === undefined ? null : { state: own.state, isProven }
      const completion = isTrial
        ? ('synthetic' as const)
        : completionOf(movement.movement_type ?? 'settlement', facts)
      const { event, receipt } = await recordRelay(this.deps, tx, {
        relayId,
        agentId,
        usage: isTrial ? 'synthetic' : usageBy(agent),
        rail: movement.rail_key ?? null,
        kind: 'passport',
        payment_reference_id: own?.payment_reference_id ?? null,
        facts: await saidOf(tx, { movement, own, completion }),
      })
      const named = `receipt_id=${receipt.receipt_id}`
      return this.#answer({ relayId, completion, receipt, entry: eventView(event), named })
    })
  }

  /** The completion of nothing, which is never stored. */
  sample() {
    const [relayId, completion] = [relayIdOf('completion-sample'), 'synthetic' as const]
    const { at, entry } = sampleUse(relayId)
    const claims = { completion_state: completion, entry_hash: entry.hash }
    return this.deps.samples.once('provider-receipt-completion', async ({ sign }) => {
      const sample = await sign({ at, shown: {}, claims })
      const { receipt } = sample
      const named = `receipt=${receipt.jws}`
      return { ...sample, ...this.#answer({ relayId, completion, receipt, entry, named }) }
    })
  }

  #answer({ relayId, completion, receipt, entry, named }: Answered) {
    const { receipt_id, payload } = receipt
    const verify_url = `${this.deps.baseUrl}/api/verify-receipt?${named}`
    const relay = { relay_id: relayId, receipt_id, entry_hash: entry.hash }
    return {
      receipt_passport: { ...receipt, claims: payload, verify_url },
      ledger_entry: entry,
      proof_relay: { ...relay, ...afterCompletion(completion) },
      completion_state: completion,
    }
  }

  /** The settlement receipt of a payment, if it is verified. */
  async #verified(own: ReferenceRow | undefined): Promise<string | undefined> {
    if (own?.settlement_receipt_id == null) return undefined
    const receipt_id = own.settlement_receipt_id
    return (await this.deps.receipts.verify({ receipt_id })).verified ? receipt_id : undefined
  }
}

type Answered = {
  relayId: string
  completion: CompletionState
  receipt: ReceiptView
  /** How the receipt is named where it is verified. */
  named: string
  entry: ReturnType<typeof eventView>
}

/** The payment of this agent that a movement names; without an agent none is. */
async function readOwn(
  tx: Tx,
  { payment_reference, provider_session_id, movement_amount_units: units, rail_key }: Movement,
  agentId: string | undefined,
): Promise<ReferenceRow | undefined> {
  if (agentId === undefined) return undefined
  const names = [payment_reference, provider_session_id].filter((name) => name !== undefined)
  const named = await Promise.all(names.map((name) => findOwnReference(tx, agentId, name)))
  const [own, other = own] = named
  if (own?.payment_reference_id !== other?.payment_reference_id)
    throw refuse('evidence_mismatch', { detail: 'reference and session are of two payments' })
  if (own === undefined) return undefined
  if (units !== undefined && units !== own.amount_usd)
    throw refuse('amount_mismatch', { detail: `the payment is of ${own.amount_usd} usd` })
  const credit = own.entitlement_id && (await findEntitlement(tx, own.entitlement_id))
  if (rail_key !== undefined && credit && credit.rail !== rail_key)
    throw refuse('evidence_mismatch', { detail: `the payment is for ${credit.rail}` })
  return own
}

/** What names what is paid, and the payment that settled it: a payment that names nothing may be a stranger's. */
async function eventsOf(tx: Tx, own: ReferenceRow) {
  const { events, paid } = await paymentOf(tx, own)
  return events.filter((one) => names(one, own) || (paid && isOnePayment(paid, one)))
}

/** What the passport says: the records, and of the caller's words only their digest. */
async function saidOf(
  tx: Tx,
  {
    movement,
    own,
    completion,
  }: {
    movement: Movement
    own: ReferenceRow | undefined
    completion: CompletionState
  },
) {
  const events = own === undefined ? [] : await eventsOf(tx, own)
  return {
    passport_type: 'receipt_completion',
    completion_state: completion,
    movement_type: movement.movement_type ?? 'settlement',
    asked_sha256: digestOf(movement),
    payment_reference_id: own?.payment_reference_id ?? null,
    payment_state: own?.state ?? null,
    amount_usd: own?.amount_usd ?? null,
    settlement_receipt_id: own?.settlement_receipt_id ?? null,
    provider_events: events
      .slice(-20)
      .map(({ provider, event_id, type }) => ({ provider, event_id, type })),
    money_movement: false,
  }
}
