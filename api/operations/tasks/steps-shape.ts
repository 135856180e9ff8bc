import { z } from 'zod'
import { loopSteps } from '#domain/runs/controlled-loop.ts'
import { Digest, Time } from '../../fields.ts'

/** One step of a run as it was taken, once for each attempt and round. */
export const TakenStep = z
  .strictObject({
    name: z.enum(loopSteps),
    attempt: z.int().min(1).meta({ description: 'Of the run, which restarts on another input.' }),
    round: z.int().min(0).meta({ description: '0: the first pass; others are revisions.' }),
    verdict: z
      .enum(['done', 'refused', 'too_complex', 'gaps', 'revise', 'reject'])
      .nullable()
      .meta({ description: 'Null while its review is open.' }),
    started_at: Time,
    ended_at: Time.nullable(),
    tries: z.int().min(1).meta({ description: 'How often the step was begun.' }),
    decided_by: z.string().nullable(),
    output: z.unknown().meta({
      description: 'Null where it is the result of the worker, or too long to be shown.',
    }),
    output_sha256: Digest.nullable().meta({
      description: 'Of its canonical JSON, which `loop_sha256` of the package is made of.',
    }),
    output_bytes: z.int().nullable(),
  })
  .meta({ id: 'TakenStep' })
