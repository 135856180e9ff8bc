import { z } from 'zod'
import { actionStates, grantStates, mandateStates } from '#domain/authority/facts.ts'
import { ReceiptId, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { SearchText } from '../../shapes/console.ts'

const Rule = z.strictObject({
  rule: z.string(),
  effect: z.enum(['allow', 'deny']),
  detail: z.string(),
})

const AnyMandateId = z
  .string()
  .regex(/^(mdt_)?[0-9a-f]{64}$/)
  .meta({ description: 'The mandate; of another issuer the digest of what it signed.' })

const mandateLine = {
  kind: z.enum(['authority', 'ap2', 'payout']),
  mandate_id: AnyMandateId,
  agent_id: z.string().nullable(),
  agent_name: z.string().nullable(),
  principal: z.string().meta({
    description:
      'Who the agent acts for; of AP2 the issuer of the mandate, of a payout the wallet that created it.',
  }),
  state: z.enum(mandateStates),
  budget: z
    .strictObject({
      currency: z.string(),
      total: z.string(),
      used: z.string(),
      left: z.string(),
    })
    .nullable()
    .meta({ description: 'Exact, in major units; null where the mandate has no budget.' }),
  uses: z.int().meta({ description: 'Actions, payments or payouts that count.' }),
  uses_max: z.int().nullable(),
  issued_by: z.string().nullable().meta({ description: 'The operator; null for another issuer.' }),
  known_since: Time,
  expires_at: Time.nullable(),
}

export const GrantLine = z
  .strictObject({
    grant_id: z.string(),
    mandate_id: z.string(),
    agent_id: z.string(),
    agent_name: z.string(),
    operation_id: z.string(),
    state: z.enum(grantStates).meta({ description: 'Issued: not used yet.' }),
    spend_usd_max: z.int(),
    issued_by: z.string(),
    issued_at: Time,
    expires_at: Time,
  })
  .meta({ id: 'GrantLine' })

const ActionLine = z
  .strictObject({
    action_id: z.string(),
    mandate_id: z.string(),
    grant_id: z.string(),
    agent_id: z.string(),
    agent_name: z.string(),
    operation_id: z.string(),
    state: z.enum(actionStates),
    price_usd: z.int(),
    released_usd: z.int().nullable().meta({
      description:
        'Of the price of a workflow: 0 once its first run has used it, all of it once it was given back; null before.',
    }),
    status: z.int().nullable().meta({ description: 'Of the operation’s own answer.' }),
    refusal: z.strictObject({ code: z.string(), detail: z.string() }).nullable(),
    decision: z
      .strictObject({ decision_id: z.string(), rules: z.array(Rule), receipt_id: ReceiptId })
      .nullable()
      .meta({ description: 'What permitted it, with the rules that decided.' }),
    receipt_id: ReceiptId.nullable(),
    reserved_at: Time,
    finished_at: Time.nullable(),
    temporal_url: z.string().nullable(),
  })
  .meta({ id: 'DelegatedActionLine' })

const FiringLine = z
  .strictObject({
    firing_id: z.string(),
    workflow_id: z.string(),
    workflow_name: z.string(),
    action_id: z.string().meta({ description: 'The action that made the workflow.' }),
    state: z.enum(['due', 'started', 'refused']),
    run_id: z.string().nullable(),
    charged_usd: z.int().meta({ description: '0: the run used the price of the action.' }),
    due_at: Time,
  })
  .meta({ id: 'ChargedFiringLine' })

const DecisionLine = z
  .strictObject({
    decision_id: z.string(),
    purpose: z.enum(['evaluate', 'grant', 'execute']),
    decision: z.enum(['allow', 'deny']),
    operation_id: z.string(),
    grant_id: z.string().nullable(),
    price_usd: z.int().nullable(),
    rules: z.array(Rule).meta({ description: 'The rules that decided.' }),
    receipt_id: ReceiptId,
    decided_at: Time,
  })
  .meta({ id: 'AuthorityDecisionLine' })

/** GET /api/operator/delegated-actions: what agents executed under mandates, the newest first. */
export const delegatedActionsList = operation({
  id: 'delegated-actions-list',
  summary: 'Search delegated actions, each with its decision, the rules behind it and its receipt.',
  http: { method: 'GET', path: '/api/operator/delegated-actions', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    state: z.enum(actionStates).optional(),
    q: SearchText.optional().meta({
      description: 'A whole id of an action, grant, mandate, agent or operation.',
    }),
    ...pageFields(5),
  }),
  output: z
    .strictObject({ items: z.array(ActionLine), offset: z.int(), limit: z.int() })
    .meta({ id: 'DelegatedActionLines' }),
  handle: async ({ state, q, ...page }, context) => {
    const { offset, limit } = pageOf(page)
    const items = await context.mandateViews.actions({ state, text: q }, { offset, limit })
    return { body: { items, offset, limit } }
  },
})

const Payment = z
  .strictObject({
    payment_reference_id: z.string(),
    state: z.string(),
    amount: z.string().meta({ description: 'In major units.' }),
    currency: z.string(),
    instrument_type: z.string(),
    instrument_id: z.string(),
    paid_at: Time,
  })
  .meta({ id: 'MandatePayment' })

/** GET /api/operator/mandates/{mandate_id}: one mandate with its decisions, grants and actions. */
export const mandateRead = operation({
  id: 'mandate-read',
  summary:
    'Read one mandate: its terms, what is left, and every decision, grant, action and charged firing.',
  http: { method: 'GET', path: '/api/operator/mandates/{mandate_id}', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({ mandate_id: AnyMandateId }),
  output: z
    .strictObject({
      ...mandateLine,
      revocation: z.strictObject({ at: Time, by: z.string(), reason: z.string() }).nullable(),
      document: z.looseObject({}).nullable().meta({
        description:
          'The terms as they were issued, those of AP2 decoded; what a payout is for; null for one of another issuer.',
      }),
      decisions: z.array(DecisionLine).meta({ description: 'The last 50, the newest first.' }),
      grants: z.array(GrantLine).meta({ description: 'The last 50, the newest first.' }),
      actions: z.array(ActionLine).meta({ description: 'The last 50, the newest first.' }),
      firings: z.array(FiringLine).meta({
        description: 'Of delegated workflows, charged to it: the last 50, the newest first.',
      }),
      payments: z
        .array(Payment)
        .meta({ description: 'Under a mandate of AP2: the last 50, the newest first.' }),
    })
    .meta({ id: 'MandateDetail' }),
  handle: async ({ mandate_id }, context) => ({
    body: await context.mandateViews.read(mandate_id),
  }),
})

/** GET /api/operator/mandates: mandates of authority, of AP2 and for payouts, the newest first. */
export const mandatesList = operation({
  id: 'mandates-list',
  summary:
    'Search the mandates of agents and those for payouts, with what is used and left of each.',
  http: { method: 'GET', path: '/api/operator/mandates', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    kind: mandateLine.kind.optional(),
    state: z.enum(mandateStates).optional(),
    q: SearchText.optional().meta({
      description: 'A whole id of a mandate, grant, agent or payout, a principal, or an issuer.',
    }),
    ...pageFields(5),
  }),
  output: z
    .strictObject({
      items: z.array(z.strictObject(mandateLine).meta({ id: 'MandateLine' })),
      offset: z.int(),
      limit: z.int(),
    })
    .meta({ id: 'MandateLines' }),
  handle: async ({ kind, state, q, ...page }, context) => {
    const { offset, limit } = pageOf(page)
    const items = await context.mandateViews.list({ kind, state, text: q }, { offset, limit })
    return { body: { items, offset, limit } }
  },
})
