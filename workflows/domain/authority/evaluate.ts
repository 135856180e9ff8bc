import { type AuthorityFacts, type MandateFacts, mandateStateAt, remainingOf } from './facts.ts'
import { authorityRules, type Rule } from './rules.ts'

export type RuleResult = { rule: string; effect: 'allow' | 'deny'; detail: string }
export type Evaluation = {
  readonly decision: 'allow' | 'deny'
  /** The rules that decided, by their names. */
  readonly deciding: RuleResult[]
}

const nothingPermits: RuleResult = {
  rule: 'default_deny',
  effect: 'deny',
  detail: 'no rule permits the action',
}

/** Judges an action by every rule: one that forbids wins, and an action that no rule permits is denied. */
export function evaluate(
  facts: AuthorityFacts,
  rules: readonly Rule[] = authorityRules,
): Evaluation {
  const results = rules.flatMap(({ id, judge }) => {
    const verdict = judge(facts)
    return verdict === undefined ? [] : [{ rule: id, ...verdict }]
  })
  const deciding = (effect: RuleResult['effect']) =>
    results
      .filter((result) => result.effect === effect)
      .sort((one, other) => compare(one.rule, other.rule))
  const denials = deciding('deny')
  if (denials.length > 0) return { decision: 'deny', deciding: denials }
  const permissions = deciding('allow')
  if (permissions.length > 0) return { decision: 'allow', deciding: permissions }
  return { decision: 'deny', deciding: [nothingPermits] }
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

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
