import { signAuthorization } from '../chain/authorization.ts'
import type { DigestSigner } from '../chain/sign-digest.ts'
import type { Config } from '../config/config.ts'
import { canaryOf } from './canary-settings.ts'
import type { Signer } from './deps.ts'
import { type SigningPolicy, withheldBecause } from './signing-rules.ts'
import { authorizationOf } from './transfer.ts'

/** The limits and addresses of a signer that holds the key of `payoutWallet`. */
export const signingPolicyOf = (config: Config, payoutWallet: string): SigningPolicy => ({
  asset: config.ASSET_CONTRACT_ADDRESS,
  payoutWallet: payoutWallet.toLowerCase() as `0x${string}`,
  principal: config.TREASURY_PRINCIPAL_ADDRESS,
  payoutMaxAtomic: config.SIGNER_PAYOUT_MAX_ATOMIC,
  dailyCapAtomic: config.SIGNER_DAILY_CAP_ATOMIC,
  canary: canaryOf(config),
})

/** The only way to the payout wallet's key: it signs nothing that it did not verify itself. */
export function createPayoutSigner(key: DigestSigner, policy: SigningPolicy): Signer {
  return {
    dailyCapAtomic: policy.dailyCapAtomic,
    sign: async (order) => {
      const withheld = withheldBecause(order, policy)
      if (withheld !== undefined) return { withheld }
      return {
        signature: await signAuthorization(key, policy.asset, authorizationOf(order.transfer)),
      }
    },
  }
}
