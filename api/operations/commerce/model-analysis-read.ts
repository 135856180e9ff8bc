import { z } from 'zod'
import { Analysis } from '#domain/analysis/analysis.ts'
import { evidenceExamples } from '../../examples/evidence.ts'
import { operation } from '../../operation.ts'
import { sampled } from '../receipts/sampled.ts'

/** GET /api/model-evidence-analysis: a fixed packet, by the rules alone. */
export const modelAnalysisRead = operation({
  id: 'model-analysis-read',
  summary: 'Read the analysis of a published packet, made without a model.',
  http: { method: 'GET', path: '/api/model-evidence-analysis', host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  output: z
    .strictObject({ ...sampled, analysis: Analysis, force_fallback: z.literal(true) })
    .meta({ id: 'AnalysisSample' }),
  example: evidenceExamples['model-analysis-read'],
  handle: async (_, { analyses }) => ({ body: await analyses.sample() }),
})
