import { refuse } from './errors.ts'

/** Limits of an allowance wallet in whole usd; null is no limit, a list of rails is all that may be paid. */
export type AllowanceLimits = {
  per_run_usd: number | null
  per_day_usd: number | null
  rails: readonly string[] | null
}

/** Throws 403 `control_denied` for a payment outside the limits; `spentToday` is what left the wallet since the UTC day began. */
export function assertWithinAllowance(
  limits: AllowanceLimits,
  payment: { rail: string; amount_usd: number },
  spentToday: number,
): void {
  const { per_run_usd, per_day_usd, rails } = limits
  const { rail, amount_usd } = payment
  if (rails !== null && !rails.includes(rail)) throw denied(`the wallet does not pay for ${rail}`)
  if (per_run_usd !== null && amount_usd > per_run_usd) throw denied(`${amount_usd} is over ${per_run_usd} usd a run`)
  if (per_day_usd !== null && spentToday + amount_usd > per_day_usd)
    throw denied(`${amount_usd} beside ${spentToday} of today is over ${per_day_usd} usd a day`)
}

/** Whether `next` permits nothing that `now` forbids: an agent may only narrow its wallet, an operator may widen it. */
export function narrows(now: AllowanceLimits, next: AllowanceLimits): boolean {
  const lower = (was: number | null, is: number | null) => was === null || (is !== null && is <= was)
  const { rails } = now
  const fewer = rails === null || next.rails?.every((rail) => rails.includes(rail)) === true
  return lower(now.per_run_usd, next.per_run_usd) && lower(now.per_day_usd, next.per_day_usd) && fewer
}

const denied = (detail: string) =>
  refuse('control_denied', detail, 'Pay in another way, or ask an operator to widen the limits of the wallet.')
