import { z } from 'zod'
import { Analysis } from '#domain/analysis/schema.ts'
import { Digest, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { readingAgentId } from '../agents/caller.ts'
import { sampled } from '../receipts/sampled.ts'
import { AnalysisId } from './analysis-shapes.ts'
import { ProofId } from './shapes.ts'

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
    const agentId = readingAgentId(context, 'an agent reads its own analyses')
    return { body: await context.analyses.read(analysis_id, agentId) }
  },
})
