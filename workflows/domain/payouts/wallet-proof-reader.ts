import { base64urlnopad } from '@scure/base'
import { z } from 'zod'
import { strictJson } from '../core/json-text.ts'
import { CHAIN_ID, limits } from '../core/limits.ts'
import type { WalletProof } from './wallet-proof.ts'

const walletProofSchema: z.ZodType<WalletProof> = z.strictObject({
  v: z.literal(1),
  wallet: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)]),
  chain_id: z.literal(CHAIN_ID),
  method: z.string().regex(/^[A-Z]{1,16}$/),
  path: z.string().regex(/^\/[!-~]{0,511}$/),
  body_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  issued_at: z.int().min(0).max(limits.expiresAtMax),
  nonce: z.string().regex(/^[0-9a-f]{32,64}$/),
  signature: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{130}$/)]),
})

/** Decodes a header value; undefined when it is too long, not base64url, not strict JSON or not of the schema. */
export function decodeWalletProof(header: string): WalletProof | undefined {
  if (header.length > limits.proofHeaderBytesMax) return undefined
  try {
    return walletProofSchema.safeParse(strictJson(base64urlnopad.decode(header))).data
  } catch {
    return undefined
  }
}
