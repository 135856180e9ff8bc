import type { AuthorityFacts } from './facts.ts'
import type { Rule } from './rule.ts'
import { authorityRules } from './rules.ts'

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
