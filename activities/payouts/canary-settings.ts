import type { Config } from '../config/config.ts'

/** The small transfer before the payouts of each UTC day. The configuration authorizes it; it has no mandate. */
export type Canary = {
  readonly recipient: `0x${string}`
  readonly amountAtomic: bigint
  readonly lifeSeconds: number
}

/** The configured canary, if any. */
export function canaryOf(
  config: Pick<Config, 'CANARY_RECIPIENT' | 'CANARY_AMOUNT_ATOMIC' | 'CANARY_LIFE_S'>,
): Canary | undefined {
  if (config.CANARY_RECIPIENT === '') return undefined
  return {
    recipient: config.CANARY_RECIPIENT,
    amountAtomic: config.CANARY_AMOUNT_ATOMIC,
    lifeSeconds: config.CANARY_LIFE_S,
  }
}
