import { z } from 'zod'
import { Digest } from '../../fields.ts'

/** The number of leaves of a tree, as a query has it. */
export const TreeSize = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

/** A number of leaves, or the place of one. */
export const Count = z.int().min(0)

/** The hashes of a proof, lowest first. */
export const ProofPath = z.array(Digest).max(63)
