import { type MandateFacts, mandateStateAt, remainingOf } from './facts.ts'

export type Check = { check: string; ok: boolean; detail: string }

const flaws = {
  schema: 'it does not fit authority-mandate.v1',
  signature: 'no key of the authority signed exactly this',
  unknown: 'it was not issued here',
} as const

/** The checks of a mandate by itself, each with its result; it permits actions only where all hold. */
export function evaluateMandate(mandate: MandateFacts, nowMs: number): Check[] {
  if ('flaw' in mandate)
    return [{ check: 'mandate_genuine', ok: false, detail: flaws[mandate.flaw] }]
  const { valid_from, expires_at } = mandate.terms
  const state = mandateStateAt(mandate, nowMs)
  const { usd, actions } = remainingOf(mandate)
  return [
    { check: 'mandate_genuine', ok: true, detail: 'signed by this authority and stored' },
    { check: 'mandate_revoked', ok: !mandate.revoked, detail: `the mandate is ${state}` },
    {
      check: 'mandate_time',
      ok: nowMs >= Date.parse(valid_from) && nowMs < Date.parse(expires_at),
      detail: `valid from ${valid_from} until ${expires_at}`,
    },
    { check: 'budget', ok: state !== 'exhausted', detail: `${usd} usd are left` },
    { check: 'action_count', ok: actions > 0, detail: `${actions} actions are left` },
  ]
}
