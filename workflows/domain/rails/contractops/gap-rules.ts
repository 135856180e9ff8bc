import type { GapRules } from '../rail.ts'

const text = { kind: 'advisory', pointer: '/text' } as const
export const gapRules = {
  attachment_not_supplied: {
    kind: 'needed',
    pointer: '/text',
    filled_by: 'the text of the attachment, under its name',
  },
  as_of_missing: { kind: 'advisory', pointer: '/as_of', filled_by: 'the day to judge terms on' },
  parties_not_found: { ...text, filled_by: 'the text with its preamble' },
  effective_date_not_found: { ...text, filled_by: 'the text with the day on which it begins' },
  term_not_found: { ...text, filled_by: 'the text with its clause on term' },
  business_days_not_counted: { ...text, filled_by: 'a notice period in days or months' },
  obligations_not_found: { ...text, filled_by: 'the text with the duties of the parties' },
  obligations_incomplete: { ...text, filled_by: 'the text in several runs' },
} as const satisfies GapRules
