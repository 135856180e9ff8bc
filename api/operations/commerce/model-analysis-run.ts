import { z } from 'zod'
import { operation } from '../../operation.ts'
import {
  analysisErrors,
  analysisFields,
  analysisLimits,
  provenAnalysis,
} from './analysis-shapes.ts'
import { askingOf } from './proven-agent.ts'

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
    body: await context.analyses.run({ ...askingOf(context), input, force_fallback, usage }),
  }),
})
