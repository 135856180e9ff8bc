import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, test } from 'vitest'
import { principalDigest, principalTypedData } from '#domain/payouts/principal-authorization.ts'
import { verifyPrincipalSignature } from '../../../activities/keys/principal-signature.ts'
import { verifies } from '../../verifies.ts'
import { payoutWallet, principal, refusal, terms } from './treasury.ts'

type Hex = `0x${string}`
const typedData = principalTypedData(terms)
const signed = (more: object = {}) =>
  principal.signTypedData({ ...typedData, message: { ...typedData.message, ...more } })
const inDomain = (more: object) =>
  principal.signTypedData({ ...typedData, domain: { ...typedData.domain, ...more } })
const check = async (signature: Hex, checked = terms): Promise<Hex> =>
  verifyPrincipalSignature(checked, signature, principal.address)

describe('a principal signature', () => {
  test('over the exact payout is accepted and gives the digest', async () => {
    expect(await check(await signed())).toBe(principalDigest(terms))
  })

  const rows: [string, () => Promise<Hex>][] = [
    ['over a swapped recipient', () => signed({ recipient: payoutWallet.address })],
    ['over the amount and one more', () => signed({ amount: 1250001n })],
    ['over another expiry', () => signed({ expiresAt: BigInt(terms.expiresAt + 1) })],
    ['over another idempotency key', () => signed({ idempotencyKey: 'auth-2' })],
    ['over another payout', () => signed({ payoutId: `po_${'cd'.repeat(32)}` })],
    ['over another payout wallet', () => signed({ payoutWallet: terms.recipient })],
    ['in the domain of USDC', () => inDomain({ name: 'USD Coin', version: '2' })],
    ['for chain 84532', () => inDomain({ chainId: 84532 })],
    ['for another asset', () => inDomain({ verifyingContract: terms.recipient })],
    ['with a high s', async () => twisted(await signed())],
    ['by the payout wallet', () => payoutWallet.signTypedData(typedData)],
    ['with v 0 or 1', async () => withV(await signed(), (v) => v - 27)],
    ['with the other v', async () => withV(await signed(), (v) => 55 - v)],
    ['of 64 bytes', async () => (await signed()).slice(0, -2) as Hex],
    [
      'over the digest as a message',
      () => principal.signMessage({ message: { raw: principalDigest(terms) } }),
    ],
    ['of zeros', async () => `0x${'00'.repeat(64)}1b`],
  ]

  for (const [name, signature] of rows) {
    verifies('authorize.principal-signature', `${name} is refused`, async () => {
      await expect(signature().then((text) => check(text))).rejects.toMatchObject(
        refusal('principal_signature_invalid'),
      )
    })
  }
})

function twisted(signature: Hex): Hex {
  const { r, s } = secp256k1.Signature.fromCompact(signature.slice(2, 130))
  const high = new secp256k1.Signature(r, secp256k1.CURVE.n - s).toHex('compact')
  return `0x${high}${signature.endsWith('1b') ? '1c' : '1b'}`
}

const withV = (signature: Hex, change: (v: number) => number): Hex =>
  `${signature.slice(0, -2)}${change(Number.parseInt(signature.slice(-2), 16))
    .toString(16)
    .padStart(2, '0')}` as Hex
