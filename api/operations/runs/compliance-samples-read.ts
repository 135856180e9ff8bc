import { z } from 'zod'
import { complianceSampleKeys } from '#domain/rails/compliance-samples.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { VerificationPacket } from '../receipts/verify-receipt.ts'
import { SamplePackage } from './sample-return-packages.ts'

const path = '/api/compliance-evidence-samples'

const ComplianceSamples = z
  .strictObject({
    samples: z.array(
      z.strictObject({
        key: z.enum(complianceSampleKeys),
        rail: Rail,
        section_count: z.int().min(1).meta({
          description: 'The sections of a packet, or the questions of a questionnaire.',
        }),
        url: z.url(),
      }),
    ),
  })
  .meta({ id: 'ComplianceSamples' })

/** GET /api/compliance-evidence-samples: three kinds of evidence, each with its input, package and proof. */
export const complianceSamplesRead = operation({
  id: 'compliance-samples-read',
  summary: 'List samples of compliance evidence, or read one with its input, package and proof.',
  http: { method: 'GET', path, host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  input: z.strictObject({
    sample: z
      .enum(complianceSampleKeys)
      .optional()
      .meta({ description: 'Without it, the samples are listed.' }),
  }),
  output: z.union([
    ComplianceSamples,
    SamplePackage.extend({
      input: z.unknown(),
      verification_packet: VerificationPacket.meta({ description: 'Of the receipt.' }),
    }).meta({ id: 'ComplianceSample' }),
  ]),
  handle: async ({ sample }, { receipts, samplePackages }) => {
    if (sample === undefined) return { body: { samples: samplePackages.listCompliance(path) } }
    const made = await samplePackages.ofCompliance(sample)
    const verification_packet = await receipts.verify({ receipt: made.receipt.jws })
    return { body: { ...made, verification_packet } }
  },
})
