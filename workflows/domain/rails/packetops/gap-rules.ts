import type { GapRules } from '../rail.ts'

/** The gaps of a packet; what is unknown about an item of a section that is not required is advisory. */
export const gapRules = {
  section_missing: { kind: 'needed', pointer: '/items', filled_by: 'an item of the section' },
  content_not_supplied: {
    kind: 'needed',
    filled_by: 'the content, as content or content_base64, instead of its digest alone',
  },
  content_not_read: { kind: 'needed', filled_by: 'extracted_text with what the file says' },
  undated: { kind: 'needed', filled_by: 'issued_at or expires_at' },
  as_of_missing: {
    kind: 'needed',
    pointer: '/as_of',
    filled_by: 'the day on which the packet is judged',
  },
} as const satisfies GapRules
