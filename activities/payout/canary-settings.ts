import type { Config } from '../config/config.ts'

/** The small transfer before the payouts of each UTC day. The configuration authorizes it; it has no mandate. */
export type Canary = {
  readonly recipient: `0x${string}`
  readonly amountAtomic: bigint
  readonly lifeSeconds: number
}

/** The configured canary, if any. */
export function canaryOf(config: Config): Canary | undefined {
  if (config.CANARY_RECIPIENT === '') return undefined
  return {
    recipient: config.CANARY_RECIPIENT,
    amountAtomic: config.CANARY_AMOUNT_ATOMIC,
    lifeSeconds: config.CANARY_LIFE_S,
  }
}
