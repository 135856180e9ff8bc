import { refuse } from '#domain/core/errors.ts'
import type { Rail, Tier, Work } from '#domain/rails/rail.ts'
import { delivered, oversize, rowsIn } from '#domain/rails/work/tiers.ts'
import { type Named, workOnInput } from './work-on-rows.ts'

/** The work of a rail as a tier delivers it. Throws `input_rejected` as soon as the rows are more than the tier takes. */
export async function workInTier(
  rail: Rail,
  { tier, value }: { tier: Tier; value: unknown },
  named: Named,
): Promise<Work<unknown>> {
  const most = rail.tiers[tier].rows_max ?? Number.POSITIVE_INFINITY
  const left = most - rowsIn(rail, value)
  let uploadedRows = 0
  const count = (list: string): void => {
    if (!Object.hasOwn(named.sources, list)) return
    uploadedRows += 1
    if (uploadedRows <= left) return
    const wrong = oversize(rail, tier, { input: value, uploadedRows })
    if (wrong !== null) throw refuse('input_rejected', { detail: wrong.message })
  }
  const uploads = Object.keys(named.sources).length > 0
  return delivered(rail, tier, await workOnInput(rail, value, named, uploads ? count : undefined))
}
