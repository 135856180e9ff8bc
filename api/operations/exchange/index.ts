import { exchangeClaim } from './claim.ts'
import { exchangeDeliver } from './deliver.ts'
import { exchangeRead } from './read.ts'
import { exchangeRelease } from './release.ts'

/** Approved work orders that other agents may claim and deliver. */
export const exchange = [exchangeRead, exchangeClaim, exchangeDeliver, exchangeRelease] as const
