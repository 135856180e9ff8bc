import { z } from 'zod'
import { Digest, freeText } from '../../fields.ts'

/** The codes of a call that reads the input of a run. */
export const inputErrors = [
  'input_rejected',
  'evidence_mismatch',
  'not_ready',
  'forbidden_material',
] as const

/** The input of a run, where it is only read; `before` is what its faults come before. */
export const dryReadInput = (before: string) =>
  z.record(z.string(), z.unknown()).meta({
    'x-free-text': true,
    description: `The input of the run: it is read, not kept, and its faults are 422 before ${before}. As /schemas/rail-input-<rail>.v1.json describes it.`,
  })

export const InputManifest = z
  .array(
    z.strictObject({
      name: freeText(200, 1),
      sha256: Digest.meta({
        description:
          'Of the canonical JSON of the input, or of the bytes of an upload that it names.',
      }),
      bytes: z.int().min(0),
    }),
  )
  .min(1)
  .max(200)
