import { z } from 'zod'
import { limits, trustLimits } from '#domain/core/limits.ts'
import { operation } from '../../operation.ts'
import { pageAnswer } from '../../page-fields.ts'
import { callingWallet } from '../agents/caller.ts'
import { ListedProof, Used } from './shapes.ts'

/** POST /api/proof-inbox, mode `list`: newest first. */
export const proofList = operation({
  id: 'proof-list',
  summary: 'List the proofs in your inbox, newest first, without their contents.',
  http: { method: 'POST', path: '/api/proof-inbox', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  idempotency: { kind: 'read' },
  input: z.strictObject({
    mode: z.literal('list'),
    offset: z
      .int()
      .min(0)
      .max(trustLimits.recordsPerWallet - 1),
    limit: z.int().min(1).max(trustLimits.proofPageSize),
  }),
  output: z
    .strictObject({
      proofs: z.array(ListedProof),
      ...pageAnswer,
      used: Used,
    })
    .meta({ id: 'ProofList' }),
  handle: async ({ offset, limit }, context) => ({
    body: await context.proofInbox.list(callingWallet(context), { offset, limit }),
  }),
})
