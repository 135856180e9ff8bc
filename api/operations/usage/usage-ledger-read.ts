import { z } from 'zod'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { readingAgentId } from '../agents/caller.ts'
import { EntitlementId } from '../payments/shapes.ts'
import { sampled } from '../receipts/sampled.ts'
import { UsageEvent, UsageEventId, UsageEventWithPostings } from './usage-shapes.ts'

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
export const usageLedgerRead = operation({
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
    const agentId = readingAgentId(context, 'usage is read by its agent')
    const page = pageOf({ offset, limit })
    return {
      body: await context.usage.read({ agentId, eventId, entitlementId }, page),
    }
  },
})
