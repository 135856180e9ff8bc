import { z } from 'zod'
import { CREDIT_UNIT, recordedKinds } from '#domain/credit/usage-event.ts'
import { callerIn } from '../caller.ts'
import { freeText, IdempotencyKey, Time } from '../fields.ts'
import { operation } from '../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../page-fields.ts'
import { Rail } from '../shapes/agents.ts'
import { EntitlementId } from '../shapes/payments.ts'
import { Receipt, sampled } from '../shapes/receipts.ts'
import { UsageEvent, UsageEventId, UsageEventWithPostings } from '../shapes/usage.ts'

const UsageSample = z
  .strictObject({ ...sampled, event: UsageEvent, schema: z.looseObject({}) })
  .meta({ id: 'UsageSample' })
const UsagePage = z
  .strictObject({
    items: z.array(UsageEventWithPostings),
    ...pageAnswer,
    totals: z.strictObject({
      credit_units: z.int().min(0),
      by_unit: z.array(
        z.strictObject({
          unit: z.string(),
          units: z.string().meta({ description: 'An integer.' }),
        }),
      ),
    }),
  })
  .meta({ id: 'UsagePage' })

/** GET /api/durable-usage-ledger: one sample event; asked for something, the agent's own events and their postings. */
const usageLedgerRead = operation({
  id: 'usage-ledger-read',
  summary:
    'Read a sample of the usage ledger, or your own events, the newest first, with their postings and totals.',
  http: { method: 'GET', path: '/api/durable-usage-ledger', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['credential_required'],
  input: z.strictObject({
    kind: z.literal('ledger_event').optional().meta({
      description: 'The runtime record kind of every event: your own are listed.',
    }),
    event_id: UsageEventId.optional(),
    entitlement_id: EntitlementId.optional(),
    ...pageFields(9),
  }),
  output: z.union([UsageSample, UsagePage]),
  handle: async (query, context) => {
    const { event_id: eventId, entitlement_id: entitlementId, offset, limit } = query
    if (Object.keys(query).length === 0) {
      const schema = z.toJSONSchema(UsageEvent, { io: 'output' })
      return { body: { ...(await context.usage.sample()), schema } }
    }
    const agentId = callerIn(context).agentIdFor('usage is read by its agent')
    const page = pageOf({ offset, limit })
    return {
      body: await context.usage.read({ agentId, eventId, entitlementId }, page),
    }
  },
})

/**
 * POST /api/durable-usage-ledger. An unknown caller records no agent. An agent's units of `usd_credit` consume
 * the credit that it names in the transaction that records them; every other unit is only counted.
 */
const usageLedgerRecord = operation({
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
    const by = { callId: context.callId, agentId: callerIn(context).agentId }
    return { body: await context.usage.record({ ...by, ...use }) }
  },
})

/** The usage ledger. */
export const usage = [usageLedgerRead, usageLedgerRecord] as const
