import { CompactEncrypt, importJWK, type JWK } from 'jose'

/**
 * Seals a credential to an agent's X25519 key: a compact JWE with `ECDH-ES` and `A256GCM` (RFC 7516, RFC 8037) around the JSON
 * `{credential, credential_id}`. Throws TypeError when the key is none to seal to.
 */
export async function sealCredential(
  content: { credential: string; credential_id: string },
  encryptionKey: Record<string, unknown>,
): Promise<string> {
  try {
    const key = await importJWK(encryptionKey as JWK, 'ECDH-ES')
    return await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(content)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', typ: 'agent-credential+jwe' })
      .encrypt(key)
  } catch (error) {
    throw new TypeError('nothing can be sealed to this key', { cause: error })
  }
}
