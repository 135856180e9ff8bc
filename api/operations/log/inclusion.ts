import { z } from 'zod'
import { Digest, ReceiptId } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Count, ProofPath, TreeSize } from './shapes.ts'

/** GET /api/log/inclusion: the audit path of a receipt (RFC 9162 §2.1.3). */
export const logInclusion = operation({
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
