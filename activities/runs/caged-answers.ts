import { z } from 'zod'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { type Prompt, promptDigest } from '#domain/drafts/prompt.ts'
import { Extraction } from '#domain/rails/input/documents.ts'
import { faultKinds, type UploadOutcome } from '#domain/rails/input/input-faults.ts'
import { Reading } from '#domain/rails/input/reading.ts'
import { gapKinds, type Work } from '#domain/rails/rail.ts'
import type { Check } from '#domain/tasks/terms.ts'
import type { Extracted, ReadAs } from './extract/extract.ts'
import { extractLimits } from './extract/unreadable.ts'
import { ChildDied } from './isolation/rail-pool.ts'
import { workChecks } from './validation.ts'

// What comes back was made by a process that read hostile bytes: none of it is stored or signed before it is read here.

const text = z.string().max(100_000)
const citation = z.looseObject({ pointer: text, quote: text.optional() })
const finding = z.looseObject({ code: text, detail: text, citations: z.array(citation) })
const gap = finding.extend({ kind: z.enum(gapKinds), pointer: text, filled_by: text })
const workAnswer = z.looseObject({
  result: z.unknown(),
  findings: z.array(finding),
  gaps: z.array(gap),
})
const checksAnswer = z
  .array(z.strictObject({ check: text, ok: z.boolean(), detail: text }))
  .max(1_000)
const promptsAnswer = z
  .array(
    z.strictObject({
      sha256: z.string(),
      messages: z.array(z.strictObject({ role: z.enum(['system', 'user']), content: z.string() })),
      answerTokensMax: z.int().min(1).max(10_000),
    }),
  )
  .max(1_000)
const place = z.strictObject({
  pointer: text,
  row: z.int().min(0).nullable(),
  value: text.nullable(),
})
const groupedFaults = z.strictObject({
  total: z.int().min(0),
  groups: z
    .array(
      z.strictObject({
        kind: z.enum(faultKinds),
        field: text,
        message: text,
        count: z.int().min(1),
        first: z.array(place).max(100),
      }),
    )
    .max(1_000),
  groups_left_out: z.int().min(0),
})
const rowsAnswer = z.strictObject({
  rows: z.int().min(0),
  faults: groupedFaults,
  reading: Reading.exactOptional(),
})
const extractedAnswer = z.union([
  z.strictObject({ extraction: Extraction }),
  z.strictObject({ faults: groupedFaults }),
  z.strictObject({ secret: z.string().min(1).max(200) }),
])

/** The work of a rail. */
export const workIn = (answer: unknown): Work<unknown> =>
  asAnswered(workAnswer, answer) as Work<unknown>

/** The checks of a validator, those of any work among them. */
export function checksIn(answer: unknown): Check[] {
  const checks = asAnswered(checksAnswer, answer)
  assert(workChecks.every((name) => checks.some(({ check }) => check === name)))
  return checks
}

/** Prompts with their digests. */
export function promptsIn(answer: unknown): Prompt[] {
  const prompts = asAnswered(promptsAnswer, answer)
  assert(prompts.every((prompt) => promptDigest(prompt) === prompt.sha256))
  return prompts
}

/** What the rows of a list have come to. */
export const rowsIn = (answer: unknown): UploadOutcome => asAnswered(rowsAnswer, answer)

/** What a file says, if it is that of the file which was sent, and within the limits of its reader. */
export function extractedIn(
  answer: unknown,
  { sha256, mediaType, as }: { sha256: string; mediaType: string; as: ReadAs },
): Extracted {
  const extracted = asAnswered(extractedAnswer, answer)
  if (!('extraction' in extracted)) return extracted
  const { extraction } = extracted
  const { text: said, text_sha256, starts } = extraction
  const charsMax = as.kind === 'rows' ? extractLimits.sheetCharsMax : as.charsMax
  assert(extraction.upload_sha256 === sha256 && extraction.media_type === mediaType)
  assert(extraction.sheet_asked === (as.kind === 'rows' ? as.sheet : null))
  assert(text_sha256 === (said === null ? null : sha256Hex(said)))
  assert((said?.length ?? 0) <= charsMax + 1)
  assert(
    starts.every((start, at) => start <= (said?.length ?? 0) && start >= (starts[at - 1] ?? 0)),
  )
  return extracted
}

function asAnswered<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const { data, success } = schema.safeParse(answer)
  assert(success)
  return data as z.output<Schema>
}

/** An answer that no reader gives is that of a process which was taken over: the attempt counts. */
function assert(holds: boolean): asserts holds {
  if (!holds) throw new ChildDied('the answer is not one that its job has')
}
