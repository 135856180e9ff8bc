import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { Digest, freeText, text } from '../fields.ts'

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
      bytes: z.int().min(1).max(limits.inputBytesMax).meta({
        description: 'The exact length of what the digest is of.',
      }),
    }),
  )
  .min(1)
  .max(200)
  .refine((parts) => new Set(parts.map(({ sha256 }) => sha256)).size === parts.length, {
    message: 'each digest once',
  })

const patchPath = text(0, 400).meta({ description: 'A JSON Pointer (RFC 6901) into the input.' })
const patchValue = z.unknown().meta({ 'x-free-text': true })

export const InputPatch = z
  .array(
    z.discriminatedUnion('op', [
      z.strictObject({
        op: z.enum(['add', 'replace', 'test']),
        path: patchPath,
        value: patchValue,
      }),
      z.strictObject({ op: z.literal('remove'), path: patchPath }),
    ]),
  )
  .min(1)
  .max(1000)
  .meta({
    description:
      'Changes of the present input of the run (RFC 6902), in their order, instead of the whole input. All of them are made, or none.',
  })
