import { z } from 'zod'
import { Analysis } from '#domain/analysis/schema.ts'
import { operation } from '../../operation.ts'
import { sampled } from '../receipts/sampled.ts'
import { UsageEvent } from '../usage/usage-shapes.ts'
import { ProofRelay } from './analysis-shapes.ts'

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
