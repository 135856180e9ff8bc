/** A step of a report, as far as reports are compared. */
export type ReportedStep = { readonly step: string; readonly ok: boolean }

const namesWhere = (steps: readonly ReportedStep[], ok: boolean): Set<string> =>
  new Set(steps.filter((one) => one.ok === ok).map(({ step }) => step))

/** What changed since the report before: steps that fail now and did not fail then, and steps that failed then and pass now. */
export function diffOf(
  before: readonly ReportedStep[] | undefined,
  now: readonly ReportedStep[],
): { newly_failing: string[]; fixed: string[] } {
  const failed = namesWhere(before ?? [], false)
  return {
    newly_failing: [...namesWhere(now, false)].filter((step) => !failed.has(step)),
    fixed: [...namesWhere(now, true)].filter((step) => failed.has(step)),
  }
}
