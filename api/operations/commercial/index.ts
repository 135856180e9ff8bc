import { controlsRead } from './controls-read.ts'
import { controlsSet } from './controls-set.ts'
import { feesAssess } from './fees-assess.ts'
import { layerRead } from './layer-read.ts'
import { walletBind } from './wallet-bind.ts'

/** The commercial fees, and the controls of customer accounts. */
export const commercial = [layerRead, feesAssess, controlsRead, controlsSet, walletBind] as const
