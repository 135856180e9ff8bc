import { controlsRead } from './controls-read.ts'
import { controlsSet } from './controls-set.ts'
import { walletBind } from './wallet-bind.ts'

/** The controls of customer accounts. */
export const commercial = [controlsRead, controlsSet, walletBind] as const
