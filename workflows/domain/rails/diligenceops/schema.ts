import { z } from 'zod'
import { UploadedFile } from '../input/documents.ts'
import { Moment, text, together, tooLongTogether } from '../input/fields.ts'
import { Conflict, EvidenceSpan } from '../text/conflicts.ts'

const distinct = (items: { id: string }[]) =>
  new Set(items.map(({ id }) => id)).size === items.length

/** A questionnaire and the texts to answer it from. `min_score` is the share of a question that its answer covers, 0 to 1; 0.7 where it is not given. */
const Asked = z.strictObject({
  questions: z
    .array(
      z.strictObject({ id: text(1, 128), text: text(1, 4000), required: z.boolean().optional() }),
    )
    .min(1)
    .max(2000)
    .refine(distinct, 'every question has an id of its own')
    .refine((all) => together(all.map(({ text }) => text)), tooLongTogether),
  evidence: z
    .array(
      z
        .strictObject({
          id: text(1, 128),
          title: text(1, 512),
          text: text(0, 1_048_576).optional(),
          /** A PDF, DOCX or text file that was uploaded, in place of its text. */
          upload: UploadedFile.optional(),
          dated: Moment.optional(),
        })
        .refine(
          ({ text, upload }) => (text === undefined) !== (upload === undefined),
          'evidence has a text or an upload',
        )
        .meta({ oneOf: [{ required: ['text'] }, { required: ['upload'] }] }),
    )
    .min(1)
    .max(3000)
    .refine(distinct, 'every text has an id of its own')
    .refine((all) => together(all.map(({ text }) => text)), tooLongTogether),
  min_score: z.number().min(0).max(1).optional(),
})
type Evidence = z.output<typeof Asked>['evidence'][number] & { text: string }
/** The texts of uploads are put in their places before the work. */
export type DiligenceInput = Omit<z.output<typeof Asked>, 'evidence'> & { evidence: Evidence[] }
export const DiligenceInput = Asked as unknown as z.ZodType<DiligenceInput>

const Answer = z.strictObject({
  question_id: z.string(),
  /** The best sentence, word by word; null where none reaches `min_score`. */
  answer: z.string().nullable(),
  /** yes, no and partial of a question that can be answered so; value of all others. */
  verdict: z.enum(['yes', 'no', 'partial', 'value', 'unanswered']),
  /** The words that decide the verdict, and what of the question is not covered. */
  reason: z.string(),
  score: z.number().min(0).max(1),
  citations: z.array(EvidenceSpan.extend({ score: z.number().min(0).max(1) })),
})
export type Answer = z.output<typeof Answer>

export const DiligenceResult = z.strictObject({
  min_score: z.number(),
  answers: z.array(Answer),
  coverage: z.strictObject({
    questions: z.int(),
    answered: z.int(),
    required: z.int(),
    required_answered: z.int(),
    /** Answered questions in whole percent, rounded down. */
    percent: z.int().min(0).max(100),
  }),
  unanswered: z.array(
    z.strictObject({
      question_id: z.string(),
      required: z.boolean(),
      best_score: z.number(),
      /** Concepts and words of the question that no text has. */
      unknown_stems: z.array(z.string()),
    }),
  ),
  conflicts: z.array(Conflict),
})
export type DiligenceResult = z.output<typeof DiligenceResult>
