import { authorityLimits, type MandateTerms } from './artifacts.ts'

const DAY_MS = 24 * 3600 * 1000

/** What is wrong with the limits and times of a mandate, with the pointer of each fault; none for terms that can be issued. */
export function termFaults(
  { limits, valid_from, expires_at }: Pick<MandateTerms, 'limits' | 'valid_from' | 'expires_at'>,
  nowMs: number,
): { pointer: string; message: string }[] {
  const from = Date.parse(valid_from)
  const until = Date.parse(expires_at)
  const checks: readonly (readonly [fails: boolean, pointer: string, message: string])[] = [
    [
      limits.per_action_usd > limits.total_usd,
      '/action/limits/per_action_usd',
      'is over total_usd',
    ],
    [until <= from, '/action/expires_at', 'is not after valid_from'],
    [until <= nowMs, '/action/expires_at', 'has passed'],
    [
      until - Math.max(from, nowMs) > authorityLimits.mandateDaysMax * DAY_MS,
      '/action/expires_at',
      `is more than ${authorityLimits.mandateDaysMax} days after the start`,
    ],
  ]
  return checks.filter(([fails]) => fails).map(([, pointer, message]) => ({ pointer, message }))
}

/** What an operator should know before a mandate of these terms is issued. */
export function termWarnings(terms: MandateTerms, delegable: readonly string[]): string[] {
  const unknown = terms.allowed_operations.filter((id) => !delegable.includes(id))
  const checks: readonly (readonly [applies: boolean, warning: string])[] = [
    [unknown.length > 0, `no mandate can permit ${unknown.join(', ')}: not delegable`],
    [terms.rails.length === 0, 'rails is empty: no action that names a rail is permitted'],
    [terms.resources.length === 0, 'resources is empty: any wallet or credit of the agent may pay'],
    [terms.limits.total_usd === 0, 'total_usd is 0: only actions without a price are permitted'],
  ]
  return checks.filter(([applies]) => applies).map(([, warning]) => warning)
}
