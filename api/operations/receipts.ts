import { z } from 'zod'
import { logStates } from '#domain/receipts/receipt.ts'
import { Digest, ReceiptId, Time, text } from '../fields.ts'
import { operation } from '../operation.ts'
import { Count, TreeSize } from '../shapes/log.ts'

const selectors = ['receipt_id', 'receipt', 'payload_sha256'] as const

const KeyState = z.enum(['published', 'active', 'retired', 'revoked', 'unknown'])

export const VerificationPacket = z
  .looseObject({
    verified: z.boolean(),
    receipt_id: ReceiptId,
    kind: z.string().nullable(),
    usage: z.string().nullable().meta({ description: 'synthetic: of a try, and of no money.' }),
    log_state: z.enum(logStates).meta({
      description:
        'pending: queued for at most 60 s. exempt: a sample. Only included and exempt are verified.',
    }),
    leaf_index: Count.nullable(),
    tree_size: Count.nullable().meta({ description: 'Leaves of the tree that was looked at.' }),
    checks: z.array(z.object({ check: z.string(), ok: z.boolean(), detail: z.string() })),
    signature: z.object({
      alg: z.string(),
      key_id: z.string().nullable(),
      key_state_at_issue: KeyState,
      key_state_at: KeyState.meta({ description: 'At the time `at`; without it, at its issue.' }),
      valid: z.boolean(),
    }),
    payload_sha256: Digest.nullable(),
    verified_at: Time,
  })
  .meta({ id: 'VerificationPacket' })

/** GET /api/verify-receipt: a receipt that does not verify is a 200 that says why. */
const verifyReceipt = operation({
  id: 'verify-receipt',
  summary:
    'Judge a receipt by its signature, its key, our record of it and its place in the log. Give exactly one of receipt_id, receipt and payload_sha256.',
  http: { method: 'GET', path: '/api/verify-receipt', host: 'base' },
  access: 'public',
  errors: ['not_found'],
  input: z
    .strictObject({
      receipt_id: ReceiptId.optional(),
      receipt: text(1, 8192).optional(),
      payload_sha256: Digest.optional(),
      at: Time.optional(),
      tree_size: TreeSize.optional(),
    })
    .refine((query) => selectors.filter((name) => query[name] !== undefined).length === 1, {
      message: `give exactly one of ${selectors.join(', ')}`,
    })
    .meta({ oneOf: selectors.map((name) => ({ required: [name] })) }),
  output: VerificationPacket,
  handle: async (input, context) => ({
    body: await context.receipts.verify(input),
  }),
})

/** Receipts. */
export const receipts = [verifyReceipt] as const
