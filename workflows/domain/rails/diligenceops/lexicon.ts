import { financeTerms } from './lexicon/finance.ts'
import type { Group } from './lexicon/group.ts'
import { phraseTerms } from './lexicon/phrases.ts'
import { privacyTerms } from './lexicon/privacy.ts'
import { securityTerms } from './lexicon/security.ts'

/** Names of groups that only say what kind of answer is wanted: a sentence shows it by a number, a date or a place. */
export const frames: ReadonlySet<string> = new Set([
  'time',
  'often',
  'quickly',
  'amount',
  'category',
  'length',
])

/** Decision: the terms of security, finance and privacy questionnaires. A term of several words wins over its words. */
export const groups: readonly Group[] = [
  ...securityTerms,
  ...financeTerms,
  ...privacyTerms,
  ...phraseTerms,
]
