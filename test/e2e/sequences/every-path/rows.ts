import { discoveryRows } from './discovery.ts'
import { moneyRows } from './money.ts'
import { onboardingRows } from './onboarding.ts'
import { operatingRows } from './operating.ts'
import { proofRows } from './proof.ts'
import type { Rows } from './row.ts'
import { sellingRows } from './selling.ts'

/** Rows that APIs on Postgres answer, without Temporal and a chain. */
export const callRows: Rows = {
  ...discoveryRows,
  ...moneyRows,
  ...onboardingRows,
  ...operatingRows,
  ...proofRows,
  ...sellingRows,
}

