import type { GapRules } from '../rail.ts'

export const gapRules = {
  unanswered: { kind: 'advisory', pointer: '/evidence', filled_by: 'a text that answers it' },
  question_without_words: { kind: 'advisory', filled_by: 'the question in words' },
  question_not_searched: { kind: 'advisory', filled_by: 'fewer questions in one run' },
  evidence_without_words: { kind: 'advisory', filled_by: 'the words of the text' },
  conflicts_incomplete: {
    kind: 'advisory',
    pointer: '/evidence',
    filled_by: 'fewer texts that say the same',
  },
  conflict_places_left_out: {
    kind: 'advisory',
    pointer: '/evidence',
    filled_by: 'fewer texts that say the same',
  },
} as const satisfies GapRules
