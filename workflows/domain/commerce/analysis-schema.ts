import { z } from 'zod'
import { gapKinds } from '../rails/rail.ts'
import { claimStates } from './claim-states.ts'

const Cited = z
  .strictObject({ pointer: z.string(), quote: z.string().nullable() })
  .meta({ description: 'An RFC 6901 pointer into the input, and the words that stand there.' })
const Finding = z.strictObject({
  finding: z.string(),
  severity: z.enum(['warning', 'info']),
  source: z.enum(['rules', 'model']),
  detail: z.string(),
  item: z.string().nullable(),
  citation: Cited.nullable(),
})

/** What the rules of packetops and diligenceops, and a model where it was asked, find in a packet. */
export const Analysis = z
  .strictObject({
    analysis_id: z.string().regex(/^an_[0-9a-f]{64}$/),
    analysis_mode: z.enum(['model', 'fallback']),
    model: z.string().nullable(),
    findings: z.array(Finding),
    coverage: z.strictObject({
      sections: z.array(
        z.strictObject({ section: z.string(), required: z.boolean(), state: z.string() }),
      ),
      readiness_score: z.int().min(0).max(100),
      questions: z.int().min(0),
      answered: z.int().min(0).meta({ description: 'By the rules; a model answers none of them.' }),
    }),
    gaps: z.array(z.strictObject({ gap: z.string(), kind: z.enum(gapKinds), detail: z.string() })),
    unsupported_claims: z.array(
      z.strictObject({ claim: z.string(), item: z.string(), reason: z.enum(claimStates) }),
    ),
    as_of: z.string().nullable().meta({ description: 'When the packet was judged.' }),
    input_sha256: z.string().regex(/^[0-9a-f]{64}$/),
    usage: z.enum(['synthetic', 'operational', 'unspecified']),
  })
  .meta({ id: 'EvidenceAnalysis' })
export type Analysis = z.output<typeof Analysis>
export type Finding = z.output<typeof Finding>
