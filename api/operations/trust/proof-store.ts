import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { Digest, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingWallet } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { ProofInput, ShortKey, Used } from './shapes.ts'

/** POST /api/proof-inbox, mode `store`: the id is the digest of wallet, kind, content and label. */
export const proofStore = operation({
  id: 'proof-store',
  summary:
    'Store a passport, a handoff pack or other evidence in your proof inbox. Reuse the key when you repeat this call.',
  http: { method: 'POST', path: '/api/proof-inbox', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  limits: { bodyBytes: limits.trustBodyBytesMax },
  status: [201],
  errors: ['wallet_storage_full', 'receipt_invalid', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('store'),
    idempotency_key: ShortKey,
    proof: ProofInput,
  }),
  output: z
    .strictObject({
      proof_id: Digest,
      bytes: z.int(),
      stored_at: Time,
      verified: z.boolean().meta({ description: 'Passports and packs are; evidence is any text.' }),
      used: Used,
      inclusion_receipt: Receipt,
    })
    .meta({ id: 'StoredProofAnswer' }),
  handle: async ({ proof }, context) => {
    const stored = { wallet: callingWallet(context), proof, callId: context.callId }
    return { body: await context.proofInbox.store(stored) }
  },
})
