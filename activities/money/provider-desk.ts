import { readProviderEvent } from '../../workflows/domain/provider-event.ts'
import { type ProviderKey, verifyProviderSignature, type WebhookHeaders } from '../keys/provider-signature.ts'
import { clockSeconds } from '../store/db.ts'
import type { EventKey } from '../store/provider-events.ts'
import type { MoneyDeps } from './deps.ts'
import type { MoneyDesk } from './desk.ts'
import { tellTasks } from './for-tasks.ts'
import { applyEvent, receiveEvent } from './provider-events.ts'

/** A webhook as it came: lowercase header names, and the raw bytes that its signature is over. */
export type SignedEvent = { readonly headers: WebhookHeaders; readonly raw: Uint8Array }
type ProviderDeps = MoneyDeps &
  Pick<MoneyDesk, 'tellTask'> & { providerKeys: readonly ProviderKey[]; warn: (error: unknown) => void }

export type ProviderDesk = ReturnType<typeof openProviderDesk>

/** What payment providers tell of payments. */
export function openProviderDesk(deps: ProviderDeps) {
  /** The provider that signed it; throws 401 `webhook_signature_invalid`. */
  const providerOf = async ({ headers, raw }: SignedEvent) =>
    verifyProviderSignature(headers, raw, deps.providerKeys, await clockSeconds(deps.db))
  return {
    providerOf,
    /** Stores the event before anything is made of it; what fails afterwards is made of it by the workers' sweep. */
    receive: async (signed: SignedEvent, body: unknown) => {
      const provider = await providerOf(signed)
      const event = readProviderEvent(schemeOf(signed), body)
      if (event === undefined) return { event_id: null, accepted: false, duplicate: false }
      const { key, duplicate } = await receiveEvent(deps, provider, event)
      await applyAndTell(deps, key).catch(deps.warn)
      return { event_id: key.event_id, accepted: true, duplicate }
    },
  }
}

async function applyAndTell(deps: ProviderDeps, key: EventKey): Promise<void> {
  const { reference } = await applyEvent(deps, key)
  const entitlementId = reference?.entitlement_id ?? null
  if (entitlementId !== null) await tellTasks(deps, { entitlementId })
}

const schemeOf = ({ headers }: SignedEvent) => (headers['webhook-signature'] === undefined ? 'stripe' : 'standard')
