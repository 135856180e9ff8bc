import { z } from 'zod'
import { keyStates } from '#domain/agents/credential.ts'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { Digest, Time } from '../fields.ts'
import { PublicKey } from './agents.ts'

export const path = '/api/signing-secret-rotation'

export const KeyVersion = z
  .strictObject({
    version: z.int(),
    key_id: z.string(),
    public_key: PublicKey.nullable().meta({ description: 'Null for an access key.' }),
    state: z.enum(keyStates),
    not_before: Time.nullable(),
    retire_at: Time.nullable().meta({ description: 'When one that was rotated out stops.' }),
    revoked_at: Time.nullable(),
  })
  .meta({ id: 'KeyVersion' })

/** An Ed25519 signature, 64 bytes as base64url. */
export const Ed25519Signature = z.string().regex(/^[A-Za-z0-9_-]{86}$/)

const MAX_BYTES = 16_384

/** What a statement is about: an object of up to 16 KiB of canonical JSON, or its SHA-256. */
export const content = {
  payload: z
    .record(z.string(), z.unknown())
    .refine(
      (value) => canonicalBytes(value) <= MAX_BYTES,
      `at most ${MAX_BYTES} bytes of canonical JSON`,
    )
    .optional()
    .meta({ 'x-free-text': true }),
  payload_sha256: Digest.optional(),
}

function canonicalBytes(value: unknown): number {
  try {
    return Buffer.byteLength(canonicalJson(value))
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
