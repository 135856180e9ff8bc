import { z } from 'zod'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Count, ProofPath, TreeSize } from './shapes.ts'

/** GET /api/log/consistency: that a tree begins with an earlier one (RFC 9162 §2.1.4). */
export const logConsistency = operation({
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
