import { createPublicKey } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { SignerRefusal } from '../protocol.ts'
import type { Curve, KeyModule, PublicPoint } from './module.ts'

/** Key specs and algorithms of AWS KMS; `DIGEST` has it sign the digest that it is given, `RAW` the bytes themselves. */
const curves = {
  Ed25519: { spec: 'ECC_NIST_EDWARDS25519', algorithm: 'ED25519_SHA_512', type: 'RAW' },
  'P-256': { spec: 'ECC_NIST_P256', algorithm: 'ECDSA_SHA_256', type: 'DIGEST' },
  secp256k1: { spec: 'ECC_SECG_P256K1', algorithm: 'ECDSA_SHA_256', type: 'DIGEST' },
} as const

/** The longest message that AWS KMS signs. */
const MESSAGE_BYTES_MAX = 4_096
/** Callers of the signer wait five seconds. */
const ATTEMPTS = 2
const REQUEST_MS = 2_000

type KmsReference = { key_id: string }

/** Keys of AWS KMS. The package is loaded here, so that only a signer that is configured for it needs it. */
export async function openKms(settings: {
  region: string
  endpoint: string
}): Promise<KeyModule<KmsReference>> {
  const kms = await import('@aws-sdk/client-kms')
  const client = new kms.KMSClient({
    region: settings.region,
    ...(settings.endpoint !== '' && { endpoint: settings.endpoint }),
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: REQUEST_MS, requestTimeout: REQUEST_MS },
  })

  const open = async ({ key_id: KeyId }: KmsReference, curve: Curve) => {
    const { algorithm, type } = curves[curve]
    const { PublicKey } = await answered(client.send(new kms.GetPublicKeyCommand({ KeyId })))
    const publicJwk = publicPointOf(PublicKey ?? new Uint8Array())
    if (publicJwk.crv !== curve)
      throw new Error(`AWS KMS: the key ${KeyId} is not one for ${curve}`)
    return {
      publicJwk,
      sign: async (Message: Uint8Array) => {
        if (Message.length > MESSAGE_BYTES_MAX)
          throw new SignerRefusal(
            'refused',
            `AWS KMS signs at most ${MESSAGE_BYTES_MAX} bytes, and this has ${Message.length}`,
          )
        const request = { KeyId, Message, MessageType: type, SigningAlgorithm: algorithm }
        const { Signature } = await answered(client.send(new kms.SignCommand(request)))
        return compactOf(Signature ?? new Uint8Array(), curve)
      },
    }
  }

  /** The alias is what a repeat finds; a process that dies before it is made leaves a key that nothing uses. */
  const make = async (name: string, curve: Curve): Promise<KmsReference> => {
    const AliasName = `alias/agent-rails-${name}`
    const found = await answered(
      client.send(new kms.DescribeKeyCommand({ KeyId: AliasName })).catch((error: unknown) => {
        if (error instanceof kms.NotFoundException) return undefined
        throw error
      }),
    )
    if (found?.KeyMetadata?.Arn !== undefined) return { key_id: found.KeyMetadata.Arn }
    const { KeyMetadata } = await answered(
      client.send(
        new kms.CreateKeyCommand({
          KeySpec: curves[curve].spec,
          KeyUsage: 'SIGN_VERIFY',
          Description: `agent-rails ${name}`,
        }),
      ),
    )
    const { Arn, KeyId } = KeyMetadata ?? {}
    if (Arn === undefined) throw new Error('AWS KMS: the answer names no key')
    await answered(client.send(new kms.CreateAliasCommand({ AliasName, TargetKeyId: KeyId })))
    return { key_id: Arn }
  }
  return { open, make, close: () => client.destroy() }
}

/** Throws `SignerRefusal` while AWS KMS does not answer, and an error that names the fault where it refuses. */
async function answered<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    const { name, message, $metadata } = error as AwsError
    const status = $metadata?.httpStatusCode ?? 500
    const isTransient = status >= 500 || /Throttl|LimitExceeded/.test(name)
    if (isTransient && name !== 'CredentialsProviderError')
      throw Object.assign(new SignerRefusal('unavailable', 'AWS KMS does not answer'), {
        cause: error,
      })
    throw new Error(`AWS KMS: ${name}: ${message}`, { cause: error })
  }
}

/** What the AWS SDK throws; without a status, no answer came. */
type AwsError = Error & { $metadata?: { httpStatusCode?: number } }

const publicPointOf = (spki: Uint8Array): PublicPoint =>
  createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' }).export({
    format: 'jwk',
  }) as PublicPoint

/** The 64 bytes of a signature; with ECDSA from its DER (RFC 3279 §2.2.3). */
function compactOf(signature: Uint8Array, curve: Curve): Uint8Array {
  if (curve === 'Ed25519') return signature
  const { Signature } = curve === 'P-256' ? p256 : secp256k1
  return Signature.fromDER(signature).toCompactRawBytes()
}
