import { z } from 'zod'
import { limits, trustLimits } from '#domain/core/limits.ts'
import { WorkItem } from '#domain/trust/passport.ts'
import { completedWorkMax, componentNames, paymentsMax } from '#domain/trust/scorecard.ts'
import { callerIn } from '../../caller.ts'
import { Digest, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer } from '../../page-fields.ts'
import { Receipt } from '../../shapes/receipts.ts'
import {
  ListedProof,
  PaidAddress,
  ProofInput,
  ShortKey,
  StoredProof,
  Used,
  uniqueList,
} from './shapes.ts'

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
    body: await context.proofInbox.list(callerIn(context).wallet, { offset, limit }),
  }),
})

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
    body: await context.proofInbox.retrieve(callerIn(context).wallet, proof_id),
  }),
})

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
    const stored = { wallet: callerIn(context).wallet, proof, callId: context.callId }
    return { body: await context.proofInbox.store(stored) }
  },
})

const Hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/)
const percent = z.int().min(0).max(100)

const Payment = z.strictObject({
  transaction_hash: Hash,
  payee: PaidAddress,
  amount_atomic: z.string().regex(/^[1-9][0-9]{0,11}$/),
  authorization_nonce: Hash,
})

/** POST /api/agent-trust-scorecard: evidence only; the same inputs within an hour of the chain get the first score. */
export const scorecardCompute = operation({
  id: 'scorecard-compute',
  summary:
    'Compute your trust score from work that this service has on record and payments that the chain proves.',
  http: { method: 'POST', path: '/api/agent-trust-scorecard', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  input: z.strictObject({
    mode: z.literal('compute'),
    completed_work: uniqueList(WorkItem, completedWorkMax),
    payments: uniqueList(Payment, paymentsMax),
  }),
  output: z
    .strictObject({
      score: z.strictObject({
        value: percent,
        band: z.enum(['unproven', 'low', 'medium', 'high']),
      }),
      confidence: z.enum(['none', 'low', 'medium', 'high']),
      components: z.array(
        z.strictObject({
          component: z.enum(componentNames),
          weight: percent,
          value: percent,
          evidence: z.array(z.string()),
        }),
      ),
      rejected: z.array(z.strictObject({ item: z.string(), reason: z.string() })),
      refunds: z.array(
        z.strictObject({ id: z.string(), payment: z.string(), amount_atomic: z.string() }),
      ),
      formula: z.looseObject({ version: z.string() }),
      as_of: z.int(),
      inputs_sha256: Digest,
      completed_work_sha256: Digest,
      payments_sha256: Digest,
      receipt: Receipt,
    })
    .meta({ id: 'Scorecard' }),
  handle: async ({ completed_work, payments }, context) => {
    const input = { completed_work, payments }
    return {
      body: await context.scorecards.compute(callerIn(context).wallet, input, context.callId),
    }
  },
})
