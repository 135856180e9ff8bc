import { signAuthorization } from '../chain/authorization.ts'
import type { DigestSigner } from '../chain/sign-digest.ts'
import type { Config } from '../config/config.ts'
import { canaryOf } from './canary-settings.ts'
import type { Signer } from './deps.ts'
import { type SigningOrder, type SigningPolicy, withheldBecause } from './signing-rules.ts'
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

/**
 * The only way to the payout wallet's key: it signs nothing that it did not verify itself. It also counts what it signed, in
 * memory, in case that what it is given of the daily cap is not true.
 */
export function createPayoutSigner(
  key: DigestSigner,
  policy: SigningPolicy,
  nowSeconds: () => number = () => Date.now() / 1000,
): Signer {
  const signed = createDayCount(2n * policy.dailyCapAtomic)
  return {
    dailyCapAtomic: policy.dailyCapAtomic,
    sign: async (order) => {
      const now = nowSeconds()
      const withheld = withheldBecause(order, policy, now) ?? signed.add(order, now)
      if (withheld !== undefined) return { withheld }
      return {
        signature: await signAuthorization(key, policy.asset, authorizationOf(order.transfer)),
      }
    },
  }
}

const DAY_S = 24 * 3600

/** The payouts of the last 24 hours, each counted once however often it is signed. */
function createDayCount(most: bigint) {
  const amounts = new Map<string, { amount: bigint; at: number }>()
  let total = 0n
  const forget = (before: number) => {
    for (const [id, { amount, at }] of amounts) {
      if (at >= before) return
      amounts.delete(id)
      total -= amount
    }
  }
  return {
    add({ payout }: SigningOrder, now: number): string | undefined {
      forget(now - DAY_S)
      if (amounts.has(payout.payout_id)) return undefined
      const amount = BigInt(payout.amount_atomic)
      if (total + amount > most)
        return `this signer signed ${total} atomic units in the last 24 hours, and ${most} is its limit`
      amounts.set(payout.payout_id, { amount, at: now })
      total += amount
      return undefined
    },
  }
}
