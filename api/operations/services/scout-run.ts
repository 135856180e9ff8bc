import { z } from 'zod'
import { ScoutInput } from '#domain/rails/scout/schema.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Receipt } from '../operators/receipt.ts'
import { SCOUT_PATH, scouted } from './scout-shapes.ts'

const { constraints, limit } = ScoutInput.shape

/** POST /api/service-scout: the ranking within constraints, with a synthetic receipt. */
export const serviceScoutRun = operation({
  id: 'service-scout-run',
  summary: 'Rank the services that fit a task within constraints, with a signed receipt.',
  http: { method: 'POST', path: SCOUT_PATH, host: 'base' },
  access: 'public',
  errors: ['input_too_complex', 'forbidden_material'],
  input: z.strictObject({
    task: freeText(4000, 1).meta({ description: 'What is to be done, in words.' }),
    constraints: constraints.meta({ description: 'What a service has to keep to.' }),
    limit: limit.meta({ description: '1 to 25; 10 unless given.' }),
    include_registry: z
      .boolean()
      .default(false)
      .meta({ description: 'Also services of others that an operator approved.' }),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: z.strictObject({ ...scouted, receipt: Receipt }).meta({ id: 'ScoutedWithReceipt' }),
  handle: async ({ idempotency_key: _key, ...asked }, context) => ({
    body: await context.scout.run(asked, context.callId),
  }),
})
