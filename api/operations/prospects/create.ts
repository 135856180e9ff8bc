import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { operatorCall } from '../operators/caller.ts'
import { binding, Channel, recorded, SPRINT_PATH } from './shapes.ts'

/** POST /api/live-prospect-sprint, mode `create_prospect`: it holds no personal data but what the operator chooses as label and contact. */
export const createProspect = operation({
  id: 'create-prospect',
  summary: 'Record a prospect, with the agent whose paid runs are those of it where that is known.',
  http: { method: 'POST', path: SPRINT_PATH, host: 'base' },
  access: 'operator',
  status: [201],
  errors: ['not_found', 'already_bound', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('create_prospect'),
    label: freeText(160, 1),
    channel: Channel,
    rail: Rail.optional(),
    contact_reference: freeText(160, 1).optional(),
    ...binding,
    idempotency_key: IdempotencyKey,
  }),
  output: recorded,
  handle: async ({ mode: _mode, idempotency_key: _key, ...described }, context) => ({
    body: await context.prospects.create(described, operatorCall(context)),
  }),
})
