import { z } from 'zod'
import { CommercePacket } from '#domain/commerce/packet.ts'
import { operation } from '../../operation.ts'
import { sampled } from '../receipts/sampled.ts'
import { DecidedAnalysis } from './analysis-shapes.ts'
import { Passport } from './proof-view.ts'

/** GET /api/free-proof-run: the proof of a published packet. */
export const freeProofRead = operation({
  id: 'free-proof-read',
  summary: 'Read a signed trial of a proof over a published packet.',
  http: { method: 'GET', path: '/api/free-proof-run', host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  output: z
    .strictObject({
      ...sampled,
      proof: DecidedAnalysis,
      passport: Passport,
      verification_packet: CommercePacket,
    })
    .meta({ id: 'FreeProofSample' }),
  handle: async (_, { analyses }) => ({ body: await analyses.sampleProof() }),
})
