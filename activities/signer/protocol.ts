import { z } from 'zod'
import { ringNames } from '#domain/keys/rotation.ts'
import { fileStates, type KeyRings, ofEachRing, type Ring } from '../keys/key-ring.ts'

/**
 * The signer speaks JSON-RPC 2.0 over a Unix socket, one object on each line. `SIGNER_SOCKET` serves `keys` and `sign` to the
 * API, `SIGNER_WORKER_SOCKET` the same and `next_key`, `activate_key`, `retire_key` and `drop_key` of rotations to workers; `SIGNER_WALLETS_SOCKET` serves `wallets`, `sign_transfer` and `sign_gas_transaction`.
 */
export const requestSchema = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.int().min(0),
  method: z.string().max(64),
  params: z.record(z.string(), z.unknown()),
})

export const responseSchema = z.union([
  z.strictObject({ jsonrpc: z.literal('2.0'), id: z.int(), result: z.unknown() }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.int().nullable(),
    error: z.strictObject({ code: z.int(), message: z.string() }),
  }),
])

/**
 * Codes of JSON-RPC 2.0 (§5.1), and four of our own: the policy refuses the request, its budget is used up for now, the module with the
 * key does not answer, or a checkpoint is proven from another one than the last (the message is the size of the last).
 */
export const rpcErrors = {
  malformed: -32600,
  unknown_method: -32601,
  invalid: -32602,
  failed: -32603,
  refused: 1,
  over_budget: 2,
  unavailable: 3,
  other_head: 4,
} as const
export type RpcError = keyof typeof rpcErrors

/** Thrown by a method of the signer: its caller gets this code and message. */
export class SignerRefusal extends Error {
  override readonly name = 'SignerRefusal'
  readonly kind: RpcError

  constructor(kind: RpcError, message: string) {
    super(message)
    this.kind = kind
  }
}

const base64url = z.base64url()
const hex = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/)
  .transform((text) => text as `0x${string}`)
const address = hex.refine((text) => text.length === 42)
/** An unsigned integer as decimal text; JSON has no bigint. */
const uint = z.string().regex(/^(0|[1-9][0-9]{0,77})$/)

const publicJwk = z.record(z.string(), z.string())
const publicKeys = z
  .array(z.strictObject({ kid: z.string(), state: z.enum(fileStates), public_jwk: publicJwk }))
  .min(1)

/** The answer of `keys`: the public halves, in the order in which the file has them. */
export const keysAnswer = z.strictObject({ rings: z.strictObject(ofEachRing(() => publicKeys)) })
export type KeysAnswer = z.output<typeof keysAnswer>

/** `sign`: the exact bytes to sign; the signer reads from them what it signs, and verifies receipts by what comes with them. */
export const signParams = z.strictObject({
  kid: z.string().max(64),
  bytes: base64url,
  proof: z
    .strictObject({
      previous: z.string().max(262_144).exactOptional(),
      principal: z
        .strictObject({ signature: z.string().max(132), idempotency_key: z.string().max(256) })
        .exactOptional(),
      consistency: z
        .strictObject({ from: z.int().min(0), path: z.array(base64url).max(64) })
        .exactOptional(),
    })
    .default({}),
})
export const signAnswer = z.strictObject({ signature: base64url })

/** `next_key`: the key of this rotation; its private half stays in the signer. */
export const nextKeyParams = z.strictObject({
  ring: z.enum(ringNames),
  rotation_id: z.string().regex(/^kr_[0-9a-f]{64}$/),
})
export const nextKeyAnswer = z.strictObject({ kid: z.string(), public_jwk: publicJwk })
/** `activate_key`, `retire_key` and `drop_key`. */
export const kidParams = z.strictObject({ kid: z.string().max(64) })
export const doneAnswer = z.strictObject({ kid: z.string() })

export const walletsAnswer = z.strictObject({
  payout_wallet: address,
  gas_wallets: z.array(address),
})

/** `sign_transfer`: the stored rows of a payout and of its transfer, as far as the signer's checks read them. */
export const orderParams = z.object({
  payout: z.object({
    payout_id: z.string(),
    creator: z.string(),
    idempotency_key: z.string(),
    state: z.enum(['created', 'authorized', 'executed']),
    asset: address,
    payout_wallet: address,
    recipient: address,
    amount_atomic: uint,
    memo: z.string(),
    rail_reference: z.string(),
    usage: z.enum(['synthetic', 'operational', 'unspecified']),
    terms_sha256: z.string(),
    expires_at: uint.nullable(),
    principal_signature: z.string().nullable(),
    authorize_idempotency_key: z.string().nullable(),
  }),
  transfer: z.object({
    payout_id: z.string(),
    wallet: address,
    recipient: address,
    amount_atomic: uint,
    nonce: hex,
    valid_after: uint,
    valid_before: uint,
  }),
  in_use: uint,
})
export const transferAnswer = z.union([
  z.strictObject({ signature: hex }),
  z.strictObject({ withheld: z.string() }),
])

/** `sign_gas_transaction`: an EIP-1559 transaction of a gas wallet without value; numbers as decimal text. */
export const gasParams = z.strictObject({
  wallet: address,
  to: address,
  data: hex,
  nonce: uint,
  gas: uint,
  max_fee_per_gas: uint,
  max_priority_fee_per_gas: uint,
})
export type GasRequest = z.output<typeof gasParams>
export const gasAnswer = z.strictObject({ raw: hex })

/** What `keys` answers for these rings. */
export const keysOf = (rings: KeyRings): KeysAnswer => ({
  rings: ofEachRing((ring: Ring) =>
    rings[ring].publicKeys.map(({ kid, state, publicJwk }) => ({
      kid,
      state,
      public_jwk: publicJwk as Record<string, string>,
    })),
  ),
})
