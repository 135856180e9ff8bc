import { denialIn } from '../text/denial.ts'
import { asksForState } from '../text/denial-words.ts'
import type { Wanted } from './question.ts'

/** What an answer comes to, and by which words of it. */
export type Verdict = { verdict: 'yes' | 'no' | 'partial' | 'value'; cue: string | null }

const limited =
  /\b(?:but not|but only|except(?:ing| for)?|with the exception of|partially|partly|in part|not all|in progress|(?<=,[^,]*)not yet|aber nicht|mit ausnahme|ausgenommen|außer|teilweise|zum teil|nicht alle|in arbeit|(?<=,[^,]*)noch nicht|aber nur)\b/iu
/** Words of a question, and words of an answer that deny them. */
const opposites: [RegExp, RegExp][] = [
  [/\b(?:unqualified|clean)\b/i, /\bqualified\b/i],
  [
    /\b(?:required|mandatory|enforced|vorgeschrieben|verpflichtend)\b/iu,
    /\b(?:optional|voluntary|freiwillig)\b/iu,
  ],
]

/** Reads a sentence as the answer to a question. */
export function verdictOf(question: string, sentence: string, wanted: Wanted): Verdict {
  if (wanted !== 'yes_no') return { verdict: 'value', cue: null }
  const partial = limited.exec(sentence)
  if (partial !== null) return { verdict: 'partial', cue: partial[0] }
  for (const [asked, said] of opposites) {
    const cue = asked.test(question) ? said.exec(sentence) : null
    if (cue !== null) return { verdict: 'no', cue: cue[0] }
  }
  const cue = denialIn(sentence)
  // “Has the certificate expired?” is answered with yes by a sentence that denies the certificate.
  return { verdict: (cue === null) === asksForState.test(question) ? 'no' : 'yes', cue }
}
