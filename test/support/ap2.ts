import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

const b64 = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
export const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')

/** The key of an agent that closes mandates. */
export function agentKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return { privateKey, jwk: { kty: 'EC' as const, crv: 'P-256' as const, x, y } }
}

/** A compact JWS with ES256, by node:crypto alone. */
export function signedJwt(header: object, payload: object, key: KeyObject): string {
  const input = `${b64(header)}.${b64(payload)}`
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

export const disclosureOf = (value: unknown) => {
  const disclosure = b64(JSON.stringify(['c2FsdHNhbHRzYWx0c2FsdA', value]))
  return { disclosure, digest: hashOf(disclosure) }
}

type Closing = {
  key: KeyObject
  aud: string
  nonce: string
  iat: number
  header?: object
  payload?: object
}

/** Closes an open mandate as an agent does (AP2 v0.2, terminal hop). */
export function closeMandate(
  open: string,
  mandate: object,
  { key, aud, nonce, iat, header, payload }: Closing,
): string {
  const { disclosure, digest } = disclosureOf(mandate)
  const claims = {
    delegate_payload: [{ '...': digest }],
    iat,
    aud,
    nonce,
    sd_hash: hashOf(open),
    _sd_alg: 'sha-256',
  }
  const jwt = signedJwt(
    { alg: 'ES256', typ: 'kb+sd-jwt', ...header },
    { ...claims, ...payload },
    key,
  )
  return `${open}~${jwt}~${disclosure}~`
}
