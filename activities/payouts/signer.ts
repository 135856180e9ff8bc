import { signAuthorization } from '../chain/authorization.ts'
import type { DigestSigner } from '../chain/secp256k1.ts'
import type { Config } from '../config/config.ts'
import { canaryOf } from './canary-settings.ts'
import { createDayCount } from './day-count.ts'
import type { Signer } from './deps.ts'
import { type SigningPolicy, withheldBecause } from './signing-rules.ts'
import { authorizationOf } from './transfer.ts'

type PolicyConfig = Pick<
  Config,
  | 'ASSET_CONTRACT_ADDRESS'
  | 'TREASURY_PRINCIPAL_ADDRESS'
  | 'SIGNER_PAYOUT_MAX_ATOMIC'
  | 'SIGNER_DAILY_CAP_ATOMIC'
> &
  Parameters<typeof canaryOf>[0]

/** The limits and addresses of a signer that holds the key of `payoutWallet`. */
export const signingPolicyOf = (config: PolicyConfig, payoutWallet: string): SigningPolicy => ({
  asset: config.ASSET_CONTRACT_ADDRESS,
  payoutWallet: payoutWallet.toLowerCase() as `0x${string}`,
  principal: config.TREASURY_PRINCIPAL_ADDRESS,
  payoutMaxAtomic: config.SIGNER_PAYOUT_MAX_ATOMIC,
  dailyCapAtomic: config.SIGNER_DAILY_CAP_ATOMIC,
  canary: canaryOf(config),
})

type Memory = {
  /** Where it remembers what it signed; without one, in the memory of this process. */
  readonly journal?: Parameters<typeof createDayCount>[1]
  readonly nowSeconds?: () => number
}

/**
 * The only way to the payout wallet's key: it signs nothing that it did not verify itself. It also counts what it signed, in case that
 * what it is given of the daily cap is not true.
 */
export function createPayoutSigner(
  key: DigestSigner,
  policy: SigningPolicy,
  { journal, nowSeconds = () => Date.now() / 1000 }: Memory = {},
): Signer {
  const signed = createDayCount(2n * policy.dailyCapAtomic, journal)
  return {
    dailyCapAtomic: policy.dailyCapAtomic,
    sign: async (order) => {
      const now = nowSeconds()
      const withheld = withheldBecause(order, policy, now) ?? (await signed.add(order, now))
      if (withheld !== undefined) return { withheld }
      return {
        signature: await signAuthorization(key, policy.asset, authorizationOf(order.transfer)),
      }
    },
  }
}
