import { z } from 'zod'
import { railKeys, tiers } from '#domain/rails/rail.ts'
import { ReturnPackage } from '#domain/runs/return-package.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { sampled } from '../receipts/sampled.ts'

export const SamplePackage = z
  .strictObject({ ...sampled, return_package: ReturnPackage })
  .meta({ id: 'SampleReturnPackage' })

/** GET /api/sample-return-packages: what each rail makes of its published input, as a package that verifies. */
export const sampleReturnPackages = operation({
  id: 'sample-return-packages',
  summary: 'Read the return package of each rail for its published input, marked as a sample.',
  http: { method: 'GET', path: '/api/sample-return-packages', host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  input: z.strictObject({
    rail: z.enum(railKeys).optional(),
    tier: z.enum(tiers).default('standard'),
    ...pageFields(2),
  }),
  output: z
    .strictObject({
      items: z.array(SamplePackage),
      ...pageAnswer,
    })
    .meta({ id: 'SampleReturnPackages' }),
  handle: async ({ rail, tier, ...page }, { samplePackages }) => ({
    body: await samplePackages.page({ rail, tier }, pageOf(page)),
  }),
})
