import { z } from 'zod'
import { CREDIT_UNIT, recordedKinds } from '#domain/credit/usage-event.ts'
import { freeText, IdempotencyKey, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { Receipt } from '../operators/receipt.ts'
import { EntitlementId } from '../payments/shapes.ts'
import { UsageEvent } from './usage-shapes.ts'

/**
 * POST /api/durable-usage-ledger. An unknown caller records no agent. An agent's units of `usd_credit` consume
 * the credit that it names in the transaction that records them; every other unit is only counted.
 */
export const usageLedgerRecord = operation({
  id: 'usage-ledger-record',
  summary:
    'Record a use in the hash-chained ledger; units of usd_credit consume the credit of an entitlement of your own.',
  http: { method: 'POST', path: '/api/durable-usage-ledger', host: 'base' },
  access: ['agent', 'public'],
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  delegable: true,
  spendsUsd: async ({ entitlement_id, unit, units }) =>
    entitlement_id !== undefined && unit === CREDIT_UNIT ? units : 0,
  errors: [
    'credential_required',
    'control_denied',
    'not_found',
    'not_owner',
    'wrong_state',
    'credit_exhausted',
    'forbidden_material',
  ],
  input: z.strictObject({
    kind: z.enum(recordedKinds),
    rail: Rail.optional(),
    units: z.int().min(0).max(1_000_000_000),
    unit: freeText(32, 1),
    occurred_at: Time.optional(),
    run_id: z
      .string()
      .regex(/^run_[0-9a-f]{64}$/)
      .optional(),
    entitlement_id: EntitlementId.optional(),
    subject: freeText(160).optional(),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      event: UsageEvent,
      attribution: z.enum(['agent', 'unverified']),
      receipt: Receipt.nullable().meta({
        description: 'The usage receipt, where credit was consumed.',
      }),
    })
    .meta({ id: 'RecordedUsage' }),
  handle: async ({ idempotency_key: _key, ...use }, context) => {
    const by = { callId: context.callId, agentId: agentIdOf(context) }
    return { body: await context.usage.record({ ...by, ...use }) }
  },
})
