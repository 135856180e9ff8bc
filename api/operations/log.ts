import { z } from 'zod'
import { Digest, ReceiptId } from '../fields.ts'
import { operation } from '../operation.ts'
import { Count, ProofPath, TreeSize } from '../shapes/log.ts'

/** GET /api/log/consistency: that a tree begins with an earlier one (RFC 9162 §2.1.4). */
const logConsistency = operation({
  id: 'log-consistency',
  summary: 'Prove that a tree of the transparency log begins with all leaves of an earlier one.',
  http: { method: 'GET', path: '/api/log/consistency', host: 'base' },
  access: 'public',
  errors: ['not_found', 'not_ready'],
  input: z.strictObject({ from: TreeSize, to: TreeSize.optional() }),
  output: z
    .strictObject({
      from: Count,
      to: Count,
      from_root: Digest,
      root: Digest,
      path: ProofPath,
      checkpoint: z.string().nullable(),
    })
    .meta({ id: 'ConsistencyProof' }),
  handle: async ({ from, to }, context) => {
    const sizes = { from: Number(from), to: to === undefined ? undefined : Number(to) }
    return { body: await context.log.consistency(sizes) }
  },
})

/** GET /api/log/inclusion: the audit path of a receipt (RFC 9162 §2.1.3). */
const logInclusion = operation({
  id: 'log-inclusion',
  summary:
    'Prove that a receipt is in the transparency log, in its latest tree or in an earlier one.',
  http: { method: 'GET', path: '/api/log/inclusion', host: 'base' },
  access: 'public',
  errors: ['not_found', 'not_ready'],
  input: z.strictObject({ receipt_id: ReceiptId, tree_size: TreeSize.optional() }),
  output: z
    .strictObject({
      entry: Digest,
      leaf_index: Count,
      tree_size: Count,
      root: Digest,
      path: ProofPath,
      checkpoint: z.string().nullable(),
    })
    .meta({ id: 'InclusionProof' }),
  handle: async ({ receipt_id, tree_size }, context) => {
    const size = tree_size === undefined ? undefined : Number(tree_size)
    return { body: await context.log.inclusion({ receipt_id, size }) }
  },
})

/** GET /api/receipts/{receipt_id}/bundle: a receipt with its proof, a checkpoint and the history of keys. */
const receiptBundle = operation({
  id: 'receipt-bundle',
  summary:
    'Fetch a receipt with all that proves it offline: its place in the log, a signed checkpoint and the keys. Accept: application/cose gives the COSE receipt.',
  http: { method: 'GET', path: '/api/receipts/{receipt_id}/bundle', host: 'base' },
  access: 'public',
  errors: ['not_found', 'not_ready'],
  input: z.strictObject({ receipt_id: ReceiptId }),
  output: z
    .strictObject({
      receipt_id: ReceiptId,
      receipt: z.string(),
      entry: Digest,
      leaf_index: Count,
      tree_size: Count,
      root: Digest,
      path: ProofPath,
      checkpoint: z.string(),
      log_key: z.string().nullable(),
      tlog_proof: z.string(),
      cose_receipt: z.string(),
      keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })),
    })
    .meta({ id: 'ReceiptBundle' }),
  asBytes: {
    type: 'application/cose',
    of: ({ cose_receipt }) => Buffer.from(cose_receipt, 'base64url'),
  },
  handle: async (input, context) => ({ body: await context.log.bundle(input) }),
})

/** The transparency log. */
export const transparencyLog = [logInclusion, logConsistency, receiptBundle] as const
