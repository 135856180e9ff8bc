import { z } from 'zod'
import { actionStates, grantStates, mandateStates } from '#domain/authority/facts.ts'
import { ReceiptId, Time } from '../../fields.ts'

const Rule = z.strictObject({
  rule: z.string(),
  effect: z.enum(['allow', 'deny']),
  detail: z.string(),
})

export const AnyMandateId = z
  .string()
  .regex(/^(mdt_)?[0-9a-f]{64}$/)
  .meta({ description: 'The mandate; of another issuer the digest of what it signed.' })

export const mandateLine = {
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

export const ActionLine = z
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

export const FiringLine = z
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

export const DecisionLine = z
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
