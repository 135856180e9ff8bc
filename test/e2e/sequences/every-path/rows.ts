import { discoveryRows } from './discovery.ts'
import { moneyRows } from './money.ts'
import { onboardingRows } from './onboarding.ts'
import { operatingRows } from './operating.ts'
import { productionRows } from './production.ts'
import { proofRows } from './proof.ts'
import type { Rows } from './row.ts'
import { runRows } from './runs.ts'
import { sellingRows } from './selling.ts'
import { taskRows } from './tasks.ts'

/** Rows that APIs on Postgres answer, without Temporal and a chain. */
export const callRows: Rows = {
  ...discoveryRows,
  ...moneyRows,
  ...onboardingRows,
  ...operatingRows,
  ...proofRows,
  ...sellingRows,
}

/** Rows that need workers, too. */
export const workRows: Rows = { ...runRows, ...taskRows, ...productionRows }
