import type { Check } from '../tasks/terms.ts'
import type { Signed, Standing } from './signed.ts'

/**
 * What a verification comes to. `indeterminate`: all holds, but by a key that was revoked, by keys that nothing else vouches
 * for, or without a part that is withheld.
 */
export type Report = {
  verdict: 'proven' | 'refused' | 'indeterminate'
  checks: Check[]
  keys: { kid: string; standing: Standing }[]
}

/** Collects checks in their order; each says what holds, or what is wrong. */
export type Findings = {
  /** Notes a check: it holds unless there is a fault. */
  note(check: string, fault: string | undefined, holds: string): void
  /** Notes that a part is left out: nothing contradicts it, and nothing proves it. */
  withhold(check: string, detail: string): void
  /** Remembers the key of a signature and gives back its claims, or what is wrong with it. */
  claims(signed: Signed): { payload: Record<string, unknown> } | { fault: string }
  /** `vouched`: whether the keys come from elsewhere than what they verify. */
  report(vouched?: boolean): Report
}

export function openFindings(): Findings {
  const checks: Check[] = []
  const keys = new Map<string, Standing>()
  let isWhole = true
  return {
    note: (check, fault, holds) => {
      checks.push({ check, ok: fault === undefined, detail: fault ?? holds })
    },
    withhold: (check, detail) => {
      isWhole = false
      checks.push({ check, ok: true, detail: `withheld: ${detail}` })
    },
    claims: (signed) => {
      if (!signed.ok) return { fault: signed.fault }
      const { kid } = signed.key
      if (keys.get(kid) !== 'active') keys.set(kid, signed.standing)
      return { payload: signed.payload }
    },
    report: (vouched = true) => {
      const signedBy = [...keys].map(([kid, standing]) => ({ kid, standing }))
      return { verdict: verdictOf(checks, keys, vouched && isWhole), checks, keys: signedBy }
    },
  }
}

function verdictOf(
  checks: Check[],
  keys: ReadonlyMap<string, Standing>,
  isProof: boolean,
): Report['verdict'] {
  if (checks.some(({ ok }) => !ok)) return 'refused'
  return isProof && ![...keys.values()].includes('revoked') ? 'proven' : 'indeterminate'
}

/** A fault, unless the thing that was checked holds. */
export const faultUnless = (holds: boolean, fault: string): string | undefined =>
  holds ? undefined : fault

/** The fault of the first thing that has one. */
export function firstFault<T>(
  things: Iterable<T>,
  faultOf: (thing: T) => string | undefined,
): string | undefined {
  for (const thing of things) {
    const fault = faultOf(thing)
    if (fault !== undefined) return fault
  }
  return undefined
}
