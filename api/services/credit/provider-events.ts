import { readProviderEvent } from '#domain/payments/provider-event.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { applyEvent, receiveEvent } from '../../../activities/credit/provider-events.ts'
import {
  type ProviderKey,
  type SignedEvent,
  verifyProviderSignature,
} from '../../../activities/keys/provider-signature.ts'
import type { EventKey } from '../../../activities/store/credit/provider-events.ts'
import { clockSeconds } from '../../../activities/store/postgres/db.ts'
import type { PaymentDeps } from './deps.ts'
import { notifyTasks } from './notify-tasks.ts'

type ProviderDeps = MoneyDeps &
  Pick<PaymentDeps, 'notifyTask'> & {
    providerKeys: readonly ProviderKey[]
    warn: (error: unknown) => void
  }

/** Events of payment providers about payments. */
export class ProviderService {
  private readonly deps: ProviderDeps

  constructor(deps: ProviderDeps) {
    this.deps = deps
  }

  /** The provider whose key signed the event; throws 401 `webhook_signature_invalid`. */
  async providerOf({ headers, raw }: SignedEvent) {
    const { db, providerKeys } = this.deps
    return verifyProviderSignature(headers, raw, providerKeys, await clockSeconds(db))
  }

  /** Stores the event before it is applied; if that fails, the workers' sweep applies it. */
  async receive(signed: SignedEvent, body: unknown) {
    const provider = await this.providerOf(signed)
    const event = readProviderEvent(schemeOf(signed), body)
    if (event === undefined) return { event_id: null, accepted: false, duplicate: false }
    const { key, duplicate } = await receiveEvent(this.deps, provider, event)
    await applyAndNotify(this.deps, key).catch(this.deps.warn)
    return { event_id: key.event_id, accepted: true, duplicate }
  }
}

async function applyAndNotify(deps: ProviderDeps, key: EventKey): Promise<void> {
  const { reference } = await applyEvent(deps, key)
  const entitlementId = reference?.entitlement_id ?? null
  if (entitlementId !== null) await notifyTasks(deps, { entitlementId })
}

const schemeOf = ({ headers }: SignedEvent) =>
  headers['webhook-signature'] === undefined ? 'stripe' : 'standard'
