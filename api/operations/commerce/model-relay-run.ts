import { z } from 'zod'
import { analysisFixture } from '#domain/analysis/fixture.ts'
import { Analysis } from '#domain/analysis/schema.ts'
import { operation } from '../../operation.ts'
import { Receipt } from '../operators/receipt.ts'
import { UsageEvent } from '../usage/usage-shapes.ts'
import {
  AnalysisId,
  analysisErrors,
  analysisFields,
  analysisLimits,
  ProofRelay,
} from './analysis-shapes.ts'
import { Passport } from './proof-view.ts'
import { askingOf } from './proven-agent.ts'
import { ProofId } from './shapes.ts'

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
    const asking = askingOf(context)
    if (stored !== undefined) return { body: await context.relays.relay({ ...asking, stored }) }
    const { force_fallback, usage, ...input } = given
    const fresh = { ...asking, input, force_fallback, usage }
    return { body: await context.relays.relay({ ...asking, fresh }) }
  },
})
