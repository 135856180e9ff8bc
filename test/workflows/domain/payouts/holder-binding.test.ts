import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  authorizeAudience,
  holderBindingText,
  holderDid,
  holderProofText,
  keyBindingPayload,
  sha256Base64url,
  transactionDataHash,
} from '#domain/payouts/holder-binding.ts'
import { verifies } from '../../../verifies.ts'

const holder = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const facts = {
  audience: 'https://svc.example/api/payout-authorize',
  nonce: 'bm9uY2U',
  requestSha256: 'a2939233bdf7db58f51791dd0c0ffb01ac8e0b87cdcfa41c62baeea5ed6b865d',
  checkoutHash: 'Y2hlY2tvdXQ',
}
const nodeHash = (text: string): string => createHash('sha256').update(text).digest('base64url')

describe('holder binding', () => {
  verifies(
    'binding.v2',
    'the version 2 text is ten lines in order, without a trailing newline',
    () => {
      const text = holderBindingText({
        ...facts,
        origin: 'https://svc.example',
        holder,
        sdHash: 'c2Q',
        issuedAt: 1795248310,
        expiresAt: 1795249210,
      })
      expect(text).toBe(`service-holder-binding-v2
origin: https://svc.example
holder: eip155:8453:0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a
audience: https://svc.example/api/payout-authorize
checkout-hash: Y2hlY2tvdXQ
request-sha256: a2939233bdf7db58f51791dd0c0ffb01ac8e0b87cdcfa41c62baeea5ed6b865d
sd-hash: c2Q
nonce: bm9uY2U
issued-at: 1795248310
expires-at: 1795249210`)
    },
  )

  test('the holder proof is five lines in order, without a trailing newline', () => {
    expect(
      holderProofText({
        origin: 'https://svc.example',
        holder,
        checkoutHash: 'Y2hlY2tvdXQ',
        nonce: 'bm9uY2U',
      }),
    ).toBe(`service-holder-proof-v1
origin: https://svc.example
holder: eip155:8453:0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a
checkout-hash: Y2hlY2tvdXQ
nonce: bm9uY2U`)
  })

  test('transaction data is hashed in its base64url form, its members sorted', () => {
    const canonical = `{"checkout_hash":"Y2hlY2tvdXQ","request_sha256":"${facts.requestSha256}","type":"service.payout"}`
    const expected = nodeHash(Buffer.from(canonical).toString('base64url'))
    expect(transactionDataHash(facts.requestSha256, facts.checkoutHash)).toBe(expected)
  })

  test('the audience is the authorize call of the service', () => {
    expect(authorizeAudience('https://svc.example')).toBe(facts.audience)
  })

  test('the payload has exactly the six documented members', () => {
    expect(keyBindingPayload(facts, 'c2Q', 1795248310)).toEqual({
      iat: 1795248310,
      aud: facts.audience,
      nonce: facts.nonce,
      sd_hash: 'c2Q',
      transaction_data_hashes: [transactionDataHash(facts.requestSha256, facts.checkoutHash)],
      transaction_data_hashes_alg: 'sha-256',
    })
  })

  test('hashes are base64url without padding, as Node makes them', () => {
    expect(sha256Base64url('grün')).toBe(nodeHash('grün'))
  })

  test('a holder is named by a did:pkh with a lowercase address', () => {
    expect(holderDid(holder)).toBe('did:pkh:eip155:8453:0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a')
  })
})
