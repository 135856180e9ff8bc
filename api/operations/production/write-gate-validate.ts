import { z } from 'zod'
import { Digest, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { presentedCredential } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { Receipt } from '../operators/receipt.ts'
import { CallbackUrl } from '../tasks/shapes.ts'
import { AuditEventId, GateCheck } from './gate-shapes.ts'

/** POST /api/production-write-gate: a write that would be refused is an answer with `pass` false; nothing is written but the audit event. */
export const writeGateValidate = operation({
  id: 'write-gate-validate',
  summary:
    'Ask whether a production write with the presented access key would pass the gate, and which of its five checks fail. Nothing is executed and no money moves.',
  http: { method: 'POST', path: '/api/production-write-gate', host: 'base' },
  tool: 'validate_production_write',
  access: 'public',
  examines: true,
  errors: ['not_found', 'forbidden_material'],
  input: z.strictObject({
    operation_id: z
      .string()
      .max(80)
      .regex(/^[a-z]+(-[a-z]+)*$/),
    rail: Rail,
    callback_url: CallbackUrl,
    payload_sha256: Digest.optional(),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      pass: z.boolean(),
      checks: z.array(GateCheck).length(5),
      audit_event_id: AuditEventId,
      executed: z.literal(false),
      money_movement: z.literal(false),
      receipt: Receipt,
    })
    .meta({ id: 'ValidatedWrite' }),
  handle: async (asked, context) => ({
    body: await context.writeGate.validate(presentedCredential(context), asked, context.callId),
  }),
})
