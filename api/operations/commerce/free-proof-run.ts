import { z } from 'zod'
import { analysisFixture } from '#domain/analysis/fixture.ts'
import type { AnalysisInput } from '#domain/analysis/input.ts'
import { Moment } from '#domain/rails/fields.ts'
import { dayOf } from '#domain/receipts/statement.ts'
import { freeText, IdempotencyKey, Usage } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { claims, DecidedAnalysis, holds, provenAnalysis, section } from './analysis-shapes.ts'
import { named } from './proof-input.ts'
import { askingOf } from './proven-agent.ts'
import { ItemName } from './shapes.ts'

const { analysis: _analysis, decision: _decision, ...signed } = provenAnalysis

/** Texts of the caller. */
export const freeEvidence = named(
  z.strictObject({
    name: ItemName,
    text: freeText(65_536, 1).meta({ description: 'Its whole text.' }),
    section: section.default('evidence').meta({ description: 'What it is evidence for.' }),
    ...holds,
  }),
  'name',
  20,
).min(1)

/** How supplied evidence is judged. */
const judging = {
  as_of: Moment.optional().meta({ description: 'When it is judged; else on the day of the call.' }),
  claims: claims.meta({ description: 'What the evidence is to say.' }),
}

type Supplied = {
  evidence: z.output<typeof freeEvidence>
  as_of?: string | undefined
  claims: z.output<typeof claims>
}
/** What is analysed of them. */
export const packetOf = ({
  evidence: items,
  as_of = today(),
  claims,
}: Supplied): AnalysisInput => ({
  packet: { title: 'Supplied evidence', as_of, items, claims },
  questions: [],
})
const today = (): string => dayOf(Date.now() / 1000)

/** POST /api/free-proof-run: a trial on the caller's own evidence; it never counts as work. */
export const freeProofRun = operation({
  id: 'free-proof-run',
  summary: 'Have evidence analysed and proven by rules as a signed trial, without a model.',
  http: { method: 'POST', path: '/api/free-proof-run', host: 'base' },
  access: 'public',
  errors: ['rate_guardrail_reached', 'input_rejected', 'input_too_complex', 'forbidden_material'],
  uses: () => ({ analyses: 1 }),
  input: z.strictObject({
    evidence: freeEvidence
      .optional()
      .meta({ description: 'What is proven; without it, a published packet.' }),
    ...judging,
    mission_id: IdempotencyKey.optional().meta({ description: 'Your own name of the mission.' }),
    publication_consent: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether the activity feed may show it; an agent with the scope.' }),
  }),
  output: z
    .strictObject({ ...signed, proof: DecidedAnalysis, usage: Usage.extract(['synthetic']) })
    .meta({ id: 'FreeProof' }),
  handle: async ({ evidence, mission_id, publication_consent, ...judged }, context) => {
    const input = evidence ? packetOf({ evidence, ...judged }) : analysisFixture
    const mission = { mission_id, publication_consent }
    return {
      body: await context.analyses.prove({ ...askingOf(context), input, mission }),
    }
  },
})
