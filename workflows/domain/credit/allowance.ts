import { refuse } from '../core/errors.ts'
import type { RailKey } from '../rails/rail.ts'

/** Limits of an allowance wallet in whole usd; null is no limit, a list of rails is all that may be paid. */
export type AllowanceLimits = {
  per_run_usd: number | null
  per_day_usd: number | null
  rails: readonly RailKey[] | null
}

/** Why the limits forbid a payment, none when they do not; `spentToday` is what left the wallet since the UTC day began. */
export function allowanceDenials(
  { per_run_usd, per_day_usd, rails }: AllowanceLimits,
  { rail, amount_usd }: { rail: string; amount_usd: number },
  spentToday: number,
): string[] {
  const checks: readonly (readonly [fails: boolean, detail: string])[] = [
    [
      rails !== null && !rails.some((one) => one === rail),
      `the rails of the wallet are ${rails?.join(', ') || 'none'}; it does not pay for ${rail}`,
    ],
    [
      per_run_usd !== null && amount_usd > per_run_usd,
      `${amount_usd} is over ${per_run_usd} usd a run`,
    ],
    [
      per_day_usd !== null && spentToday + amount_usd > per_day_usd,
      `${amount_usd} plus ${spentToday} of today is over ${per_day_usd} usd a day`,
    ],
  ]
  return checks.filter(([fails]) => fails).map(([, detail]) => detail)
}

/** What a wallet may still pay today in whole usd; null is no limit. */
export const dayLeft = ({ per_day_usd }: AllowanceLimits, spentToday: number): number | null =>
  per_day_usd === null ? null : Math.max(0, per_day_usd - spentToday)

/** Whether `next` permits nothing that `now` forbids: an agent may only narrow its wallet, an operator may widen it. */
export function narrows(now: AllowanceLimits, next: AllowanceLimits): boolean {
  const lower = (was: number | null, is: number | null) =>
    was === null || (is !== null && is <= was)
  const { rails } = now
  const fewer = rails === null || next.rails?.every((rail) => rails.includes(rail)) === true
  return (
    lower(now.per_run_usd, next.per_run_usd) && lower(now.per_day_usd, next.per_day_usd) && fewer
  )
}

/** 403 `control_denied` with the reason, or the reasons. */
export const denied = (detail: string) =>
  refuse('control_denied', {
    detail,
  })
