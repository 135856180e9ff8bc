import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'

type Spec = 'ECC_NIST_EDWARDS25519' | 'ECC_NIST_P256' | 'ECC_SECG_P256K1'
type Key = { spec: Spec; privateKey: KeyObject }
type Body = Record<string, string>

const algorithms: Record<Spec, { algorithm: string; type: string }> = {
  ECC_NIST_EDWARDS25519: { algorithm: 'ED25519_SHA_512', type: 'RAW' },
  ECC_NIST_P256: { algorithm: 'ECDSA_SHA_256', type: 'DIGEST' },
  ECC_SECG_P256K1: { algorithm: 'ECDSA_SHA_256', type: 'DIGEST' },
}

class KmsError extends Error {}
const refuse = (name: string): never => {
  throw new KmsError(name)
}

/**
 * The JSON protocol of AWS KMS for the five calls that the signer makes, on a local port. `faults` are answers that come before the
 * next ones; `recorded` keys answer each message with a signature that was made elsewhere.
 */
export async function startKms() {
  const keys = new Map<string, Key>()
  const aliases = new Map<string, string>()
  const recorded = new Map<string, { spec: Spec; spki: string; signatures: Map<string, string> }>()
  const faults: { status: number; name: string }[] = []
  const calls: string[] = []

  const arnOf = (id: string) => `arn:aws:kms:eu-central-1:111122223333:key/${id}`
  const idOf = (named: string) =>
    aliases.get(named) ?? named.replace(/^arn:aws:kms:eu-central-1:111122223333:key\//, '')
  const keyOf = (named: string): Key => keys.get(idOf(named)) ?? refuse('NotFoundException')

  const operations: Record<string, (body: Body) => object> = {
    CreateKey: ({ KeySpec, KeyUsage }) => {
      if (KeyUsage !== 'SIGN_VERIFY') refuse('ValidationException')
      const id = crypto.randomUUID()
      keys.set(id, newKey(KeySpec as Spec))
      return { KeyMetadata: { KeyId: id, Arn: arnOf(id) } }
    },
    CreateAlias: ({ AliasName = '', TargetKeyId = '' }) => {
      if (!/^alias\/[\w/-]{1,250}$/.test(AliasName)) refuse('InvalidAliasNameException')
      if (aliases.has(AliasName)) refuse('AlreadyExistsException')
      aliases.set(AliasName, TargetKeyId)
      return {}
    },
    DescribeKey: ({ KeyId = '' }) => {
      keyOf(KeyId)
      return { KeyMetadata: { KeyId: idOf(KeyId), Arn: arnOf(idOf(KeyId)) } }
    },
    GetPublicKey: ({ KeyId = '' }) => {
      const known = recorded.get(KeyId)
      if (known !== undefined) return { PublicKey: known.spki, KeySpec: known.spec }
      const { spec, privateKey } = keyOf(KeyId)
      const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
      return { PublicKey: der.toString('base64'), KeySpec: spec }
    },
    Sign: ({ KeyId = '', Message = '', MessageType, SigningAlgorithm }) => {
      const spec = recorded.get(KeyId)?.spec ?? keyOf(KeyId).spec
      const { algorithm, type } = algorithms[spec]
      const message = Buffer.from(Message, 'base64')
      if (SigningAlgorithm !== algorithm || MessageType !== type) refuse('ValidationException')
      if (message.length > 4_096 || (type === 'DIGEST' && message.length !== 32))
        refuse('ValidationException')
      const known = recorded.get(KeyId)
      if (known !== undefined)
        return { Signature: known.signatures.get(Message) ?? refuse('InternalException') }
      return { Signature: signatureOf(keyOf(KeyId), message).toString('base64') }
    },
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const [service, operation = ''] = String(request.headers['x-amz-target']).split('.')
      const answer = (status: number, body: object) => {
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
        response.end(JSON.stringify(body))
      }
      const isSigned = /^AWS4-HMAC-SHA256 Credential=/.test(request.headers.authorization ?? '')
      if (service !== 'TrentService' || !isSigned) return answer(400, { __type: 'BadRequest' })
      calls.push(operation)
      const fault = faults.shift()
      if (fault !== undefined) return answer(fault.status, { __type: fault.name, message: 'no' })
      try {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Body
        return answer(200, operations[operation]?.(body) ?? refuse('UnknownOperationException'))
      } catch (error) {
        return answer(400, { __type: (error as Error).message, message: 'refused' })
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    env: {
      AWS_KMS_REGION: 'eu-central-1',
      AWS_KMS_ENDPOINT: `http://127.0.0.1:${port}`,
    },
    keys,
    faults,
    calls,
    recorded,
    /** Puts a private key there, as an operator does. */
    add: (id: string, spec: Spec, privateKey: KeyObject) => keys.set(id, { spec, privateKey }),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
export type Kms = Awaited<ReturnType<typeof startKms>>

function newKey(spec: Spec): Key {
  if (spec === 'ECC_NIST_EDWARDS25519') return { spec, ...generateKeyPairSync('ed25519') }
  const namedCurve = spec === 'ECC_NIST_P256' ? 'prime256v1' : 'secp256k1'
  return { spec, ...generateKeyPairSync('ec', { namedCurve }) }
}

/** Half of all signatures have a high `s`, as AWS KMS makes them. */
function signatureOf({ spec, privateKey }: Key, message: Buffer): Buffer {
  if (spec === 'ECC_NIST_EDWARDS25519') return sign(null, message, privateKey)
  const { d = '' } = privateKey.export({ format: 'jwk' })
  const secret = Buffer.from(d, 'base64url')
  const curve = spec === 'ECC_NIST_P256' ? p256 : secp256k1
  const options = { lowS: false, prehash: false, extraEntropy: true }
  return Buffer.from(curve.sign(message, secret, options).toDERRawBytes())
}
