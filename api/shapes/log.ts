import { z } from 'zod'
import { Digest } from '../fields.ts'

/** The number of leaves of a tree, as a query has it. */
export const TreeSize = z.string().regex(/^(0|[1-9][0-9]{0,14})$/)

/** A number of leaves, or the place of one. */
export const Count = z.int().min(0)

/** The hashes of a proof, lowest first. */
export const ProofPath = z.array(Digest).max(63)
