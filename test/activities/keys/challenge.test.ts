import { compactVerify, decodeProtectedHeader, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { sha256Base64url } from '#domain/payouts/holder-binding.ts'
import { issueChallenge, verifyChallengeToken } from '../../../activities/keys/challenge.ts'
import { readCheckout } from '../../../activities/keys/checkout.ts'
import { signCompact } from '../../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { keyStatus } from '../../support/key-status.ts'
import { verifies } from '../../verifies.ts'
import {
  challengeContext,
  challengeFacts,
  digest,
  keys,
  newChallenge,
  nowSeconds,
  origin,
  refusal,
  standingKeys,
  treasuryHolder,
} from './treasury.ts'

const challenge = await newChallenge()
const payloadOf = (jws: string) =>
  JSON.parse(Buffer.from(jws.split('.')[1]!, 'base64url').toString('utf8'))
const attempt = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return error
  }
}

describe('challenge', () => {
  test('jose verifies the token’s key, typ, audience and 15 minutes', async () => {
    const key = await importJWK(keys.authority.active.publicJwk as JWK, 'EdDSA')
    const { payload } = await jwtVerify(challenge.challenge_token, key, {
      typ: 'service-payout-challenge+jwt',
      audience: `${origin}/api/payout-authorize`,
      issuer: origin,
      currentDate: new Date(nowSeconds * 1000),
    })
    expect(payload).toEqual({
      iss: origin,
      aud: 'https://svc.example/api/payout-authorize',
      jti: expect.stringMatching(/^[\w-]{22}$/),
      iat: nowSeconds,
      exp: nowSeconds + 900,
      nonce: challenge.nonce,
      holder: 'eip155:8453:0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
      request_sha256: digest,
      checkout_hash: challenge.checkout_hash,
    })
  })

  verifies(
    'challenge.answer',
    'jose verifies the salted ES256 checkout: 10 cents for this request',
    async () => {
      const key = await importJWK(keys.checkout.active.publicJwk as JWK, 'ES256')
      await compactVerify(challenge.checkout_jwt, key, { algorithms: ['ES256'] })
      expect(payloadOf(challenge.checkout_jwt)).toMatchObject({
        exp: nowSeconds + 900,
        jti: challenge.nonce,
        salt: expect.stringMatching(/^[\w-]{22}$/),
        order_id: `payout:${digest}`,
        line_items: [{ item: { id: 'api.payout-authorize', price: 10 }, quantity: 1 }],
        currency: 'USD',
        totals: [{ type: 'total', amount: 10 }],
        request_digest: {
          type: 'service.payout.principal-authorization.v1',
          alg: 'sha-256',
          value: digest,
        },
      })
      expect(challenge.checkout_hash).toBe(sha256Base64url(challenge.checkout_jwt))
    },
  )

  test('two challenges for one request share neither nonce, salt nor token id', async () => {
    const other = await newChallenge()
    expect(other.nonce).not.toBe(challenge.nonce)
    expect(payloadOf(other.checkout_jwt).salt).not.toBe(payloadOf(challenge.checkout_jwt).salt)
    expect(payloadOf(other.challenge_token).jti).not.toBe(payloadOf(challenge.challenge_token).jti)
  })

  test('the answer says what to sign for both versions', () => {
    const { holder_binding: binding } = challenge
    expect(binding.versions).toEqual([1, 2])
    expect(Object.keys(binding.v1_kb_payload).sort()).toEqual([
      'aud',
      'iat',
      'nonce',
      'sd_hash',
      'transaction_data_hashes',
      'transaction_data_hashes_alg',
    ])
    expect(binding.v2_message_template.split('\n')).toHaveLength(10)
    expect(binding.v2_message_template).toContain('sd-hash: <sd-hash>\n')
    expect(binding.v2_message_template).toContain('issued-at: <issued-at>\n')
    expect(binding.holder_proof_message.split('\n')).toHaveLength(5)
  })

  verifies(
    'challenge.holder-unknown',
    'a wallet other than the treasury holder gets none',
    async () => {
      const stranger = { ...challengeFacts, holder: `0x${'ab'.repeat(20)}`, requestSha256: digest }
      await expect(issueChallenge(stranger)).rejects.toMatchObject(refusal('holder_unknown'))
    },
  )
})

describe('a presented challenge token', async () => {
  const claims = payloadOf(challenge.challenge_token)
  const signed = (
    more: object,
    typ = 'service-payout-challenge+jwt',
    key = keys.authority.active,
  ) => signCompact(key, { typ, payload: { ...claims, ...more } })
  const stranger = keyRings(generateSigningKeys(new Date(nowSeconds * 1000)))

  test('of ours is read back', () => {
    expect(verifyChallengeToken(challenge.challenge_token, challengeContext)).toEqual(claims)
  })

  test.each([
    ['is no JWS', 'x', 'authority_denied'],
    [
      'is signed by another authority with the same kid',
      await signed({}, undefined, stranger.authority.active),
      'authority_denied',
    ],
    [
      'is signed by our receipt key',
      await signed({}, undefined, keys.receipt.active),
      'authority_denied',
    ],
    ['is a receipt', await signed({}, 'receipt+jwt'), 'authority_denied'],
    ['has another issuer', await signed({ iss: 'https://other.example' }), 'authority_denied'],
    ['has an unknown claim', await signed({ admin: true }), 'authority_denied'],
    [
      'has another audience',
      await signed({ aud: `${origin}/api/payout-create` }),
      'audience_mismatch',
    ],
    [
      'names another holder',
      await signed({ holder: `eip155:8453:0x${'ab'.repeat(20)}` }),
      'holder_unknown',
    ],
    [
      'names the holder on another chain',
      await signed({ holder: `eip155:1:${treasuryHolder}` }),
      'holder_unknown',
    ],
    ['expires now', await signed({ exp: nowSeconds }), 'challenge_expired'],
  ])('that %s is refused', (_, token, code) => {
    expect(attempt(() => verifyChallengeToken(token, challengeContext))).toMatchObject(
      refusal(code),
    )
  })

  test('with alg none is refused', () => {
    const [, body] = challenge.challenge_token.split('.')
    const header = Buffer.from(
      JSON.stringify({ ...decodeProtectedHeader(challenge.challenge_token), alg: 'none' }),
    )
    const token = `${header.toString('base64url')}.${body}.`
    expect(attempt(() => verifyChallengeToken(token, challengeContext))).toMatchObject(
      refusal('authority_denied'),
    )
  })

  test('after a key rotation is still read', () => {
    const authorityKeys = [
      ...keyStatus(stranger, nowSeconds)
        .verifiers('authority')
        .map((key) => ({ ...key, kid: 'newer' })),
      ...challengeContext.authorityKeys,
    ]
    expect(
      verifyChallengeToken(challenge.challenge_token, { ...challengeContext, authorityKeys }),
    ).toEqual(claims)
  })
})

describe('a checkout', () => {
  const claims = payloadOf(challenge.checkout_jwt)
  const context = { keys: standingKeys.verifiers('checkout'), origin }
  const { kid } = keys.checkout.active
  const header = { alg: keys.checkout.active.alg, typ: 'service-checkout+jwt', kid }
  const signed = (more: object) =>
    signCompact(keys.checkout.active, { typ: header.typ, payload: { ...claims, ...more } })

  test('of ours is read back', () => {
    expect(readCheckout(challenge.checkout_jwt, context)).toEqual(claims)
  })

  test.each([
    ['the principal as total', { totals: [{ type: 'total', amount: 125 }] }],
    [
      'the principal as price',
      {
        line_items: [
          { ...claims.line_items[0], item: { ...claims.line_items[0].item, price: 125 } },
        ],
      },
    ],
    ['another currency', { currency: 'USDC' }],
    ['no salt', { salt: undefined }],
    ['an order of another request', { order_id: `payout:${'00'.repeat(32)}` }],
    ['another issuer', { iss: 'https://other.example' }],
  ])('with %s is refused', async (_, more) => {
    const checkout = await signed(more)
    expect(() => readCheckout(checkout, context)).toThrow()
  })

  test('signed with EdDSA by our authority is refused', async () => {
    const eddsa = await signCompact(keys.authority.active, { typ: header.typ, payload: claims })
    expect(() => readCheckout(eddsa, context)).toThrow('kid')
    const renamed = await signCompact(
      { ...keys.authority.active, kid },
      { typ: header.typ, payload: claims },
    )
    expect(() => readCheckout(renamed, context)).toThrow('not signed with ES256')
    const hmac = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: header.typ, kid })
      .sign(Buffer.from(String(keys.checkout.active.publicJwk['x'])))
    expect(() => readCheckout(hmac, context)).toThrow('not signed with ES256')
  })
})
