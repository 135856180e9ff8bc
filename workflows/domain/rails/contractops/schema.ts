import { z } from 'zod'
import { UploadedFile } from '../input/documents.ts'
import { Moment, Span, text } from '../input/fields.ts'

/** The most characters of a contract. */
export const CONTRACT_CHARS_MAX = 500_000

/** The text of one contract, or the file of it. `as_of` decides which term runs and whether notice can still be given. */
const Asked = z
  .strictObject({
    text: text(1, CONTRACT_CHARS_MAX).optional(),
    /** A PDF, DOCX or text file that was uploaded, in place of its text. */
    upload: UploadedFile.optional(),
    as_of: Moment.optional(),
  })
  .refine(
    ({ text, upload }) => (text === undefined) !== (upload === undefined),
    'a contract has a text or an upload',
  )
  .meta({ oneOf: [{ required: ['text'] }, { required: ['upload'] }] })
/** The text of an upload is put in its place before the work. */
export type ContractInput = z.output<typeof Asked> & { text: string }
export const ContractInput = Asked as unknown as z.ZodType<ContractInput>

const Day = z.iso.date()
/** `value` in `seconds`, `months` or `business days`, and the words that said it. `days` only where the words name whole days or weeks. */
const Length = z.strictObject({
  unit: z.enum(['seconds', 'months', 'business days']),
  value: z.string(),
  words: z.string(),
  days: z.int().nullable(),
  citation: Span,
})
export type Length = z.output<typeof Length>

const Party = z.strictObject({
  name: z.string(),
  role: z.string().nullable(),
  form: z.string().nullable(),
  citation: Span,
})
export type Party = z.output<typeof Party>

const DatedMention = z.strictObject({
  day: Day,
  /** Where day and month could be changed about. */
  other_reading: Day.nullable(),
  kind: z.enum(['effective', 'end', 'signature', 'other']),
  citation: Span,
})
export type DatedMention = z.output<typeof DatedMention>

const Amount = z.strictObject({
  value: z.string(),
  currency: z.string(),
  per: z.enum(['hour', 'day', 'week', 'month', 'quarter', 'year']).nullable(),
  citation: Span,
})
export type Amount = z.output<typeof Amount>

const Terms = z.strictObject({
  effective_on: Day.nullable(),
  initial_term: Length.nullable(),
  ends_on: Day.nullable(),
  renewal: z
    .strictObject({
      automatic: z.boolean(),
      /** It continues without further terms until it is terminated. */
      evergreen: z.boolean(),
      every: Length.nullable(),
      citation: Span,
    })
    .nullable(),
  /** The term that runs on `as_of` (without it, the first), the day on which it renews, and the last day for notice. */
  current_term_ends_on: Day.nullable(),
  renews_on: Day.nullable(),
  notice: z
    .strictObject({ length: Length, deadline_on: Day.nullable(), passed: z.boolean().nullable() })
    .nullable(),
  terminations: z.array(z.strictObject({ kind: z.enum(['cause', 'convenience']), notice: Length })),
  convention: z.string(),
})
export type Terms = z.output<typeof Terms>

/** A sum, or the fees of so many months (null: of no stated time) times a multiple. */
const Limb = z.strictObject({
  kind: z.enum(['amount', 'fees']),
  value: z.string().nullable(),
  currency: z.string().nullable(),
  multiple: z.string().nullable(),
  months: z.string().nullable(),
  citation: Span,
})
export type Limb = z.output<typeof Limb>

/** The most that a party is liable for. Of several limbs the greater or the lesser counts, where the text says which. */
const LiabilityCap = z.strictObject({
  /** A role or name, `each party`, or null where the sentence names none. */
  party: z.string().nullable(),
  mutual: z.boolean(),
  rule: z.enum(['greater', 'lesser']).nullable(),
  limbs: z.array(Limb),
  /** What the liability is for, where it is not for everything. */
  scope: z.string().nullable(),
  /** What it stands against: `Section 9.1`. */
  notwithstanding: z.string().nullable(),
  citation: Span,
})
export type LiabilityCap = z.output<typeof LiabilityCap>

/** The law that governs, in the words of the text, with the sentence. */
const GoverningLaw = z.strictObject({ law: z.string(), citation: Span })
export type GoverningLaw = z.output<typeof GoverningLaw>

const Obligation = z.strictObject({
  party: z.string(),
  kind: z.enum(['must', 'must_not']),
  act: z.string(),
  /** The time that the act itself names. */
  due: z.string().nullable(),
  citation: Span,
})
export type Obligation = z.output<typeof Obligation>

const uncertainties = [
  'blank',
  'words_and_figures_differ',
  'ambiguous_date',
  'initial_terms_differ',
  'end_dates_differ',
  'notice_periods_differ',
  'obligor_unclear',
  'vague_time',
  'governing_laws_differ',
  'liability_caps_differ',
] as const
const Uncertain = z.strictObject({
  code: z.enum(uncertainties),
  detail: z.string(),
  citations: z.array(Span),
})
export type Uncertain = z.output<typeof Uncertain>

export const ContractResult = z.strictObject({
  as_of: z.string().nullable(),
  parties: z.array(Party),
  dates: z.array(DatedMention),
  amounts: z.array(Amount),
  terms: Terms,
  liability_caps: z.array(LiabilityCap),
  governing_law: z.array(GoverningLaw),
  obligations: z.array(Obligation),
  uncertain: z.array(Uncertain),
})
export type ContractResult = z.output<typeof ContractResult>
