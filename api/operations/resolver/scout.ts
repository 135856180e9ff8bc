import { z } from 'zod'
import { ScoutInput, ScoutResult } from '#domain/rails/scout/schema.ts'
import { callerIn } from '../../caller.ts'
import { freeText, IdempotencyKey, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Receipt } from '../../shapes/receipts.ts'

const SCOUT_PATH = '/api/service-scout'

const { ranked, excluded, missing, registry_size, registry_sha256 } = ScoutResult.shape
/** What both ways to scout answer. */
const scouted = {
  ranked: ranked.meta({ description: 'The best first, with the words that fit.' }),
  excluded: excluded.meta({ description: 'Every other service, with the reason.' }),
  missing: missing.meta({ description: 'Parts of the task that no ranked service does.' }),
  registry_size,
  registry_sha256,
}

/** GET /api/service-scout: a ranking of which nothing is stored. */
export const serviceScoutRead = operation({
  id: 'service-scout-read',
  summary: 'Rank the services that fit a task, and say why the others do not.',
  http: { method: 'GET', path: SCOUT_PATH, host: 'base' },
  access: 'public',
  errors: ['input_too_complex'],
  input: z.strictObject({
    task: text(1, 500).meta({ description: 'What is to be done, in words.' }),
    limit: z
      .string()
      .regex(/^([1-9]|1[0-9]|2[0-5])$/)
      .optional()
      .meta({ description: '1 to 25; 10 unless given.' }),
    include_registry: z.enum(['true', 'false']).optional(),
  }),
  output: z.strictObject(scouted).meta({ id: 'Scouted' }),
  handle: async ({ task, limit, include_registry }, context) => ({
    body: await context.scout.rank(
      { task, limit: Number(limit ?? 10), include_registry: include_registry === 'true' },
      callerIn(context).computeNetwork,
    ),
  }),
})

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
    body: await context.scout.run(asked, context.callId, callerIn(context).computeNetwork),
  }),
})
