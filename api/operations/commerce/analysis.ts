import { z } from 'zod'
import { analysisFixture } from '#domain/analysis/fixture.ts'
import { Analysis } from '#domain/commerce/analysis-schema.ts'
import { CommercePacket } from '#domain/commerce/packet.ts'
import { limits } from '#domain/core/limits.ts'
import { Moment } from '#domain/rails/input/fields.ts'
import { callerIn } from '../../caller.ts'
import { Digest, freeText, ReceiptId, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Decision, ItemName, named, Passport, ProofId } from '../../shapes/commerce.ts'
import { Receipt, sampled } from '../../shapes/receipts.ts'
import { UsageEvent } from '../../shapes/usage.ts'

const AnalysisId = z.string().regex(/^an_[0-9a-f]{64}$/)
export const section = freeText(128, 1)
const itemText = freeText(262_144, 1)

/** What every analysis that asks a model may be refused with. */
const analysisErrors = [
  'rate_guardrail_reached',
  'provider_failed',
  'input_rejected',
  'input_too_complex',
  'forbidden_material',
] as const
/** Analyses take the same bodies with and without an access key. */
const analysisLimits = {
  bodyBytes: limits.analysisBodyBytesMax,
  openBodyBytes: limits.analysisBodyBytesMax,
}

const says = (description: string) => ({ description })
export const claims = z
  .array(
    z.strictObject({
      claim: freeText(500, 1).meta(says('What a text has to say word for word.')),
      item: ItemName.optional().meta(says('The item that says it; else any.')),
    }),
  )
  .max(50)
  .default([])
/** Between when an item holds. */
export const holds = {
  issued_at: Moment.optional().meta(says('Since when it holds.')),
  expires_at: Moment.optional().meta(says('Until when it holds.')),
}
/** A structured compliance packet, and what is asked about it. */
export const analysisFields = {
  packet: z
    .strictObject({
      title: freeText(256, 1).meta(says('What the packet is called.')),
      purpose: freeText(2000, 1).optional().meta(says('What it is to show.')),
      as_of: Moment.optional().meta(says('When it is judged; without it nothing is expired.')),
      required_sections: z
        .array(section)
        .min(1)
        .max(100)
        .optional()
        .meta(says('The sections that it needs; else those that its items name.')),
      items: named(
        z.strictObject({
          name: ItemName,
          section: section.meta(says('The section that it is evidence for.')),
          text: itemText.meta(says('Its whole text.')),
          ...holds,
        }),
        'name',
        50,
      )
        .min(1)
        .meta(says('The documents of the packet.')),
      claims,
    })
    .meta(says('The packet that is analysed.')),
  questions: z
    .array(freeText(500, 1))
    .max(50)
    .default([])
    .meta(says('What the items are to answer.')),
  force_fallback: z.boolean().default(false).meta(says('Use the rules alone, and no model.')),
  usage: z.literal('synthetic').optional().meta(says('For a trial.')),
}

/** An analysis in the proof that holds it. */
export const provenAnalysis = {
  analysis: Analysis,
  proof_id: ProofId,
  decision: Decision,
  receipt: Receipt,
  passport: Passport,
  verification_packet: CommercePacket,
}

export const ProofRelay = z
  .strictObject({
    relay_id: z.string().regex(/^rly_[0-9a-f]{64}$/),
    receipt_id: ReceiptId,
    entry_hash: Digest,
    state: z.enum(['recorded', 'retry_available', 'handed_off']),
    retry_available: z.boolean(),
    handoff_ready: z.boolean(),
    next_endpoint: z.string(),
  })
  .meta({ id: 'ProofRelay' })

export const DecidedAnalysis = z.strictObject({ analysis: Analysis, decision: Decision })

const AnalysisSample = z
  .strictObject({ ...sampled, analysis: Analysis, force_fallback: z.literal(true) })
  .meta({ id: 'AnalysisSample' })
const StoredAnalysis = z
  .strictObject({
    analysis: Analysis,
    analysis_sha256: Digest.meta({ description: 'Of its canonical JSON, as its proof has it.' }),
    proof_id: ProofId,
    proof_url: z.url(),
    made_at: Time,
  })
  .meta({ id: 'StoredAnalysis' })

/** GET /api/model-evidence-analysis: a fixed packet, by the rules alone; with `analysis_id`, an analysis of the agent. */
export const modelAnalysisRead = operation({
  id: 'model-analysis-read',
  summary:
    'Read the analysis of a published packet, made without a model, or an analysis of yours by its id.',
  http: { method: 'GET', path: '/api/model-evidence-analysis', host: 'base' },
  access: ['agent', 'public'],
  needs: { scopes: ['runs:read'] },
  errors: ['unavailable', 'not_found', 'credential_required'],
  input: z.strictObject({
    analysis_id: AnalysisId.optional().meta({
      description: 'An analysis that your access key asked for.',
    }),
  }),
  output: z.union([AnalysisSample, StoredAnalysis]),
  handle: async ({ analysis_id }, context) => {
    if (analysis_id === undefined) return { body: await context.analyses.sample() }
    const agentId = callerIn(context).agentIdFor('an agent reads its own analyses')
    return { body: await context.analyses.read(analysis_id, agentId) }
  },
})

/** POST /api/model-evidence-analysis: computes on what the caller sends, within budgets of its own. */
export const modelAnalysisRun = operation({
  id: 'model-analysis-run',
  summary:
    'Have a compliance packet analysed by rules, and by a model where one is configured, with a proof, a receipt and a passport.',
  http: { method: 'POST', path: '/api/model-evidence-analysis', host: 'base' },
  access: 'public',
  limits: analysisLimits,
  errors: [...analysisErrors],
  uses: () => ({ analyses: 1 }),
  input: z.strictObject(analysisFields),
  output: z
    .strictObject({
      ...provenAnalysis,
      guardrails: z.strictObject({
        calls_left: z.int().nullable().meta({
          description: 'Calls of the model that are left to you today; null without a model.',
        }),
        bytes: z.int().meta({ description: 'The most bytes of a body.' }),
      }),
    })
    .meta({ id: 'ProvenAnalysis' }),
  handle: async ({ force_fallback, usage, ...input }, context) => ({
    body: await context.analyses.run({ ...callerIn(context).asking, input, force_fallback, usage }),
  }),
})

/** GET /api/model-proof-relay: the relay of the published analysis. */
export const modelRelayRead = operation({
  id: 'model-relay-read',
  summary: 'Read how an analysis is bound to a ledger entry and a relay, on a published packet.',
  http: { method: 'GET', path: '/api/model-proof-relay', host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  output: z
    .strictObject({
      ...sampled,
      analysis_result: Analysis,
      ledger_entry: UsageEvent,
      proof_relay: ProofRelay,
    })
    .meta({ id: 'RelaySample' }),
  handle: async (_, { relays }) => ({ body: await relays.sample() }),
})

const Context = z.strictObject(analysisFields)
const fixture = { ...analysisFixture, force_fallback: true, usage: 'synthetic' } as const

/** POST /api/model-proof-relay: what it uses is counted against its caller, and never against the agent of the proof. */
export const modelRelayRun = operation({
  id: 'model-relay-run',
  summary:
    'Bind an analysis of this service, on record or made from a packet, to its passport, a ledger entry and a relay; without a body a published packet.',
  http: { method: 'POST', path: '/api/model-proof-relay', host: 'base' },
  access: 'public',
  limits: analysisLimits,
  errors: ['not_found', 'evidence_mismatch', ...analysisErrors],
  uses: () => ({ analyses: 1 }),
  input: z
    .strictObject({
      analysis_result: z
        .looseObject({ analysis_id: AnalysisId.meta({ description: 'The id of the analysis.' }) })
        .optional()
        .meta({ description: 'An analysis of yours: its id, or the whole as it was answered.' }),
      context: Context.optional().meta({ description: 'What is analysed first.' }),
    })
    .refine(({ analysis_result, context }) => !analysis_result || !context, {
      message: 'give analysis_result or context',
    })
    .meta({ not: { required: ['analysis_result', 'context'] } }),
  output: z
    .strictObject({
      analysis_result: Analysis,
      proof_id: ProofId,
      receipt_passport: Passport,
      run_ledger: UsageEvent,
      proof_relay: ProofRelay,
      retry_handoff_state: ProofRelay.shape.state,
      receipt: Receipt,
    })
    .meta({ id: 'RelayedAnalysis' }),
  handle: async ({ analysis_result: stored, context: given = fixture }, context) => {
    const asking = callerIn(context).asking
    if (stored !== undefined) return { body: await context.relays.relay({ ...asking, stored }) }
    const { force_fallback, usage, ...input } = given
    const fresh = { ...asking, input, force_fallback, usage }
    return { body: await context.relays.relay({ ...asking, fresh }) }
  },
})
