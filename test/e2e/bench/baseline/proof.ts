import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Request } from 'express'

/** A secp256k1 signature over a body, with its key, as `x-proof`; OpenSSL makes and verifies it. */
export function proofOf(
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
  body: unknown,
) {
  const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url')
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  return {
    'x-proof': `${spki}.${sign('sha256', Buffer.from(JSON.stringify(body)), key).toString('base64url')}`,
  }
}

/** The least that a service verifies of each call. */
export function isProven(request: Request): boolean {
  const [publicKey = '', signature = ''] = (request.get('x-proof') ?? '').split('.')
  const key = createPublicKey({
    key: Buffer.from(publicKey, 'base64url'),
    format: 'der',
    type: 'spki',
  })
  const text = Buffer.from(JSON.stringify(request.body))
  return verify(
    'sha256',
    text,
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
}
