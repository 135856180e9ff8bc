import { domainSeparator, hashTypedData, recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import {
  principalDigest,
  principalDomain,
  principalTypedData,
  requestSha256,
} from '#domain/payouts/principal-authorization.ts'
import { verifies } from '../../../verifies.ts'

const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const terms = {
  payoutId: `po_${'ab'.repeat(32)}`,
  payoutWallet: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  amountAtomic: '1250000',
  expiresAt: 1_800_000_000,
  idempotencyKey: 'auth-1',
  asset,
}

// Vectors: wire-facts §2.5.
describe('principal authorization', () => {
  verifies('authority.eip712', 'the digest of the documented terms is the documented one', () => {
    expect(principalDigest(terms)).toBe(
      '0xa18ccc1d5924c1e8f33f0bde05b0dd26e5a68f192de525dd46ab5a812b656c2f',
    )
  })

  test('the domain separator is the documented one and not the token own', () => {
    const ours = domainSeparator({ domain: principalDomain(asset) })
    expect(ours).toBe('0x013c2a18d3de077f00cef7276222ea2553a471df563b6c4e347b329fe78f79a4')
    const token = domainSeparator({
      domain: { ...principalDomain(asset), name: 'USD Coin', version: '2' },
    })
    expect(token).toBe('0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f')
  })

  test('the documented key signs it as documented', async () => {
    const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
    const typedData = principalTypedData(terms)
    const signature = await account.signTypedData(typedData)
    expect(signature).toMatch(/^0x9d6a150a.*5af61b$/)
    expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(
      '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
    )
  })

  verifies(
    'authority.request-digest',
    'the request digest of the documented terms is the documented one',
    () => {
      expect(requestSha256(terms)).toBe(
        'a2939233bdf7db58f51791dd0c0ffb01ac8e0b87cdcfa41c62baeea5ed6b865d',
      )
    },
  )

  test('the case of an address changes neither digest', () => {
    const upper = {
      ...terms,
      recipient: `0x${terms.recipient.slice(2).toUpperCase()}`,
      asset: asset.toLowerCase(),
    }
    expect(principalDigest(upper)).toBe(principalDigest(terms))
    expect(requestSha256(upper)).toBe(requestSha256(terms))
  })

  test.each([
    ['payoutId', `po_${'ac'.repeat(32)}`],
    ['payoutWallet', asset],
    ['recipient', '0x70997970C51812dc3A010C7d01b50e0d17dc79C9'],
    ['amountAtomic', '1250001'],
    ['expiresAt', 1_800_000_001],
    ['idempotencyKey', 'auth-2'],
    ['asset', terms.recipient],
  ])('another %s gives another digest', (member, value) => {
    expect(principalDigest({ ...terms, [member]: value })).not.toBe(principalDigest(terms))
    if (member !== 'payoutWallet')
      expect(requestSha256({ ...terms, [member]: value })).not.toBe(requestSha256(terms))
  })

  test('the typed data hashes to the digest', () => {
    expect(hashTypedData(principalTypedData(terms))).toBe(principalDigest(terms))
  })
})
