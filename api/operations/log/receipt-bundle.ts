import { z } from 'zod'
import { Digest, ReceiptId } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Count, ProofPath } from './shapes.ts'

/** GET /api/receipts/{receipt_id}/bundle: a receipt with its proof, a checkpoint and the history of keys. */
export const receiptBundle = operation({
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
