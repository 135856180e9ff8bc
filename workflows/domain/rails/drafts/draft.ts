import { z } from 'zod'
import { Digest, Span } from '../input/fields.ts'

/** A part of the input that a model may quote: its name in the prompt, its text, and its place by UTF-16 offsets, `to` exclusive. */
export type Passage = { name: string; pointer: string; from: number; to: number; text: string }

/** What a model is asked: a question of the input, with its id and place, and the passages that may answer it. */
export type PlannedDraft = {
  about: string
  pointer: string
  question: string
  passages: Passage[]
}

/** How a call of the model ended. Without an answer, only the deterministic result is delivered. */
const modelOutcomes = [
  'answered',
  'budget_exhausted',
  'rate_limited',
  'refused',
  'timeout',
  'unreachable',
  'unreadable',
  'interrupted',
  'not_configured',
] as const
export type ModelOutcome = (typeof modelOutcomes)[number]

/** The end of one call, stored before it is used; its digest is that of its canonical JSON. `text` is what the model wrote. */
export const ModelOutput = z
  .strictObject({
    type: z.literal('service.model-output.v1'),
    prompt_sha256: Digest,
    model: z.string(),
    outcome: z.enum(modelOutcomes),
    text: z.string().nullable(),
    /** Tokens as the endpoint reported them; null where it did not. */
    tokens: z.int().min(0).nullable(),
  })
  .meta({ id: 'ModelOutput' })
export type ModelOutput = z.output<typeof ModelOutput>

export const DraftSentence = z.strictObject({
  text: z.string(),
  citations: z.array(Span).min(1).meta({ description: 'Exact quotes of the input.' }),
})
export type DraftSentence = z.output<typeof DraftSentence>

export const draftNotice =
  'A model wrote these drafts. They are no part of the result. Each sentence quotes the input at the places that it names; check what it says before you use it.'

/** What a model proposed for open questions, apart from the result. Every sentence has quotes that are in the input. */
export const Drafts = z
  .strictObject({
    notice: z.literal(draftNotice),
    drafts: z.array(
      z.strictObject({
        about: z.string().meta({ description: 'The id of the question.' }),
        sentences: z.array(DraftSentence).min(1),
      }),
    ),
    findings: z
      .array(
        z.strictObject({
          code: z.string(),
          detail: z.string(),
          citations: z.array(
            z.strictObject({ pointer: z.string(), quote: z.string().exactOptional() }),
          ),
        }),
      )
      .meta({ description: 'Calls without an answer, and sentences that were dropped.' }),
    calls: z.array(
      z.strictObject({
        about: z.string(),
        prompt_sha256: Digest,
        output_sha256: Digest.nullable().meta({
          description: 'Of the stored output, which a replay package has; null: not called.',
        }),
        model: z.string().nullable(),
        outcome: z.enum([...modelOutcomes, 'not_called']),
        tokens: z.int().min(0).nullable(),
      }),
    ),
  })
  .meta({ id: 'Drafts' })
export type Drafts = z.output<typeof Drafts>
