import type { AuthorityFacts } from './facts.ts'

/** What one rule says of an action: it permits, forbids, or does not apply. */
export type Verdict = { readonly effect: 'allow' | 'deny'; readonly detail: string }
export type Rule = {
  readonly id: string
  readonly judge: (facts: AuthorityFacts) => Verdict | undefined
}
