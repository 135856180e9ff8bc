import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { Digest, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingWallet } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { StoredProof } from './shapes.ts'

/** POST /api/proof-inbox, mode `retrieve`: a proof of another wallet is not there. */
export const proofRetrieve = operation({
  id: 'proof-retrieve',
  summary: 'Read a proof of your inbox with its content and the receipt of its inclusion.',
  http: { method: 'POST', path: '/api/proof-inbox', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  errors: ['not_found'],
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('retrieve'), proof_id: Digest }),
  output: z
    .strictObject({
      proof: StoredProof,
      proof_id: Digest,
      stored_at: Time,
      inclusion_receipt: Receipt,
    })
    .meta({ id: 'RetrievedProof' }),
  handle: async ({ proof_id }, context) => ({
    body: await context.proofInbox.retrieve(callingWallet(context), proof_id),
  }),
})
