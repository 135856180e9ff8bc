import { createHash, type JsonWebKey, verify as nodeVerify } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { compactVerify, importJWK, type JWK } from 'jose'
import { hashMessage } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { holderProofText } from '#domain/payouts/holder-binding.ts'
import { signCompact } from '../../../activities/keys/compact.ts'
import { issueMandate } from '../../../activities/keys/mandate.ts'
import { keyStatus } from '../../support/key-status.ts'
import { verifies } from '../../verifies.ts'
import {
  holder,
  holderProof,
  keys,
  mandateRequest,
  newChallenge,
  nowSeconds,
  origin,
  refusal,
} from './treasury.ts'

const challenge = await newChallenge()
const b64uJson = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))

/** The npm library as outside judge, with jose for the issuer's signature. */
async function checked(mandate: string) {
  const key = await importJWK(keys.authority.active.publicJwk as JWK, 'EdDSA')
  const library = new SDJwtVcInstance({
    hasher: (data) =>
      createHash('sha256')
        .update(data as string)
        .digest(),
    verifier: async (data, signature) =>
      compactVerify(`${data}.${signature}`, key).then(() => true),
  })
  return library.verify(mandate, {
    currentDate: nowSeconds,
    requiredClaimKeys: ['checkout_jwt', 'checkout_hash', 'jti'],
  })
}

describe('an issued mandate', () => {
  verifies(
    'mandate.issue',
    'is a dc+sd-jwt that discloses the checkout and expires with it',
    async () => {
      const issued = await issueMandate(await mandateRequest(challenge, 2))
      expect(issued).toMatchObject({
        checkoutHash: challenge.checkout_hash,
        expiresAt: challenge.expires_at,
      })
      const { header, payload } = await checked(issued.ap2Mandate)
      expect(header).toEqual({ typ: 'dc+sd-jwt', alg: 'EdDSA', kid: keys.authority.active.kid })
      expect(payload).toMatchObject({
        iss: origin,
        vct: 'mandate.checkout.1',
        jti: 'mdt_1',
        iat: nowSeconds,
        exp: challenge.expires_at,
        cnf: { kid: 'did:pkh:eip155:8453:0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a' },
        checkout_hash: challenge.checkout_hash,
        checkout_jwt: challenge.checkout_jwt,
      })
      const [jwt = '', disclosure = '', end] = issued.ap2Mandate.split('~')
      expect(b64uJson(jwt.split('.')[1]!)).not.toHaveProperty('checkout_jwt')
      expect(b64uJson(disclosure)).toEqual([
        expect.any(String),
        'checkout_jwt',
        challenge.checkout_jwt,
      ])
      expect(end).toBe('')
    },
  )

  test('for version 1 carries the key that Node verifies the holder with', async () => {
    const { ap2Mandate } = await issueMandate(await mandateRequest(challenge, 1))
    const { jwk } = (await checked(ap2Mandate)).payload['cnf'] as { jwk: JsonWebKey }
    const digest = createHash('sha256').update('anything').digest('hex')
    const signature = Buffer.from(
      (await holder.sign({ hash: `0x${digest}` })).slice(2),
      'hex',
    ).subarray(0, 64)
    const key = { key: jwk, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
    expect(nodeVerify('sha256', Buffer.from('anything'), key, signature)).toBe(true)
  })
})

describe('a mandate is refused for', () => {
  const cases: [string, string, () => Promise<object>][] = [
    [
      'a checkout of another request',
      'request_digest_mismatch',
      async () => ({ requestSha256: '00'.repeat(32) }),
    ],
    [
      'an expired checkout',
      'challenge_expired',
      async () => ({ keyStatus: keyStatus(keys, challenge.expires_at) }),
    ],
    ['a malformed checkout', 'authority_denied', async () => ({ checkoutJwt: 'x' })],
    [
      'a checkout signed with EdDSA',
      'authority_denied',
      async () => ({
        checkoutJwt: await signCompact(keys.authority.active, {
          typ: 'service-checkout+jwt',
          payload: b64uJson(challenge.checkout_jwt.split('.')[1]!),
        }),
      }),
    ],
    [
      'another holder wallet',
      'authority_denied',
      async () => ({ treasuryHolder: `0x${'ab'.repeat(20)}` }),
    ],
    [
      'a proof over another checkout',
      'authority_denied',
      async () => ({ holderProof: await holderProof(await newChallenge(), 2) }),
    ],
    [
      'a version 1 proof over another checkout',
      'authority_denied',
      async () => ({ holderProof: await holderProof(await newChallenge(), 1) }),
    ],
    [
      'a proof of another wallet',
      'authority_denied',
      async () => ({
        holderProof: await holderProof(challenge, 1, privateKeyToAccount(`0x${'44'.repeat(32)}`)),
      }),
    ],
    [
      'a proof over the raw digest of the text',
      'authority_denied',
      async () => ({
        holderProof: { ...(await holderProof(challenge, 1)), signature: await rawSignature() },
      }),
    ],
    [
      'a malformed signature',
      'authority_denied',
      async () => ({ holderProof: { ...(await holderProof(challenge, 1)), signature: '0x12' } }),
    ],
  ]

  for (const [name, code, more] of cases) {
    verifies(
      ['mandate.issue.holder-proof', 'mandate.issue.digest-mismatch'],
      `${name} (${code})`,
      async () => {
        const request = { ...(await mandateRequest(challenge, 2)), ...(await more()) }
        await expect(issueMandate(request)).rejects.toMatchObject(refusal(code))
      },
    )
  }
})

async function rawSignature() {
  const facts = {
    origin,
    holder: holder.address,
    checkoutHash: challenge.checkout_hash,
    nonce: challenge.nonce,
  }
  return holder.sign({ hash: hashMessage(`\n${holderProofText(facts)}`) })
}
