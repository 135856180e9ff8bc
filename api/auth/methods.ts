import type { SignedEvent } from '../../activities/keys/provider-signature.ts'
import type { AccessKind } from '../operation.ts'
import { byAgent } from './agent.ts'
import type { AskingLimits } from './attempts.ts'
import type { Method } from './method.ts'
import { byOperator } from './operator.ts'
import { byAnyone } from './public-caller.ts'
import { byStatusToken } from './status-token.ts'
import { byWallet } from './wallet-proof.ts'

type ProviderNeeds = Pick<AskingLimits, 'attempts'> & {
  /** Throws 401 `webhook_signature_invalid` unless a configured key of a provider signed these raw bytes. */
  readonly verifyWebhook: (signed: SignedEvent) => Promise<unknown>
}

/** Webhooks are signed over their raw bytes, from which their operation reads who sent them. */
const byProvider: Method<ProviderNeeds> = async ({ request }, { attempts, verifyWebhook }) => {
  const { address, headers, body } = request
  const signed = { headers, raw: body ?? new Uint8Array() }
  await attempts.guard({ address }, () => verifyWebhook(signed))
  return {
    way: 'provider',
    isAnyone: false,
    callerOf: () => ({ kind: 'provider', id: 'provider', signed }),
  }
}

type NeedsOf<M> = M extends Method<infer Needs> ? Needs : never

/** The dependencies of authentication. */
export type AuthDeps = NeedsOf<typeof byAgent> &
  NeedsOf<typeof byOperator> &
  NeedsOf<typeof byStatusToken> &
  NeedsOf<typeof byWallet> &
  ProviderNeeds

/** How each way of access is checked. */
export const methods: Readonly<Record<AccessKind, Method<AuthDeps>>> = {
  public: byAnyone,
  wallet: byWallet,
  agent: byAgent,
  operator: byOperator,
  status: byStatusToken,
  provider: byProvider,
}
