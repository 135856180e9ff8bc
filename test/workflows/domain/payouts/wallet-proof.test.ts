import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import {
  bodySha256,
  encodeWalletProof,
  type WalletProof,
  walletProofText,
} from '#domain/payouts/wallet-proof.ts'
import { decodeWalletProof } from '#domain/payouts/wallet-proof-reader.ts'
import { verifies } from '../../../verifies.ts'

// wire-facts §3.2, known-answer test.
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const body = {
  amount_usdc: '1.25',
  idempotency_key: 'c-1',
  memo: 'm',
  rail_reference: 'r',
  recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
}
const knownDigest = '7c4ea12d09d41c4f5f31343049011fdf8a0e3c71d2a66562c7f48f80d06325f5'
const knownSignature =
  '0xdfe7a1d0e639b7d4228775aa3ee0621544bbb11330fdba481df680dbad26a12a5f542abc7fe7481e2efd48cb0bc22532b368a101d0fbf6ed980f19ae690e43881b'
const wallet = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'

const proof: WalletProof = {
  v: 1,
  wallet,
  chain_id: 8453,
  method: 'POST',
  path: '/api/payout-create',
  body_sha256: knownDigest,
  issued_at: 1795248310,
  nonce: '00112233445566778899aabbccddeeff',
  signature: knownSignature,
}

verifies('calls.one-reader', 'a proof that names a member twice is none', () => {
  const read = (json: string) => decodeWalletProof(Buffer.from(json).toString('base64url'))
  const json = JSON.stringify(proof)
  expect(read(json)).toEqual(proof)
  const other = `0x${'22'.repeat(20)}`
  for (const twice of [
    json.replace('"wallet"', `"wallet":"${other}","wallet"`),
    json.replace('"method"', '"method":"GET","\\u006dethod"'),
    `\ufeff${json}`,
  ])
    expect(read(twice)).toBeUndefined()
})

verifies(
  'proof.known-answer',
  'the text of the known answer is signed to the known signature',
  async () => {
    expect(bodySha256(body)).toBe(knownDigest)
    const text = walletProofText({
      origin: 'https://svc.example',
      method: 'POST',
      path: '/api/payout-create',
      bodySha256: bodySha256(body),
      wallet,
      issuedAt: 1795248310,
      nonce: '00112233445566778899aabbccddeeff',
    })
    expect(text.split('\n')).toHaveLength(8)
    expect(text.endsWith('\n')).toBe(false)
    expect(account.address.toLowerCase()).toBe(wallet)
    expect(await account.signMessage({ message: text })).toBe(knownSignature)
  },
)

verifies('proof.known-answer', 'without a body the digest is that of the empty string', () => {
  expect(bodySha256(undefined)).toBe(createHash('sha256').update('').digest('hex'))
})

verifies(
  'proof.encoding',
  'the header is unpadded base64url of the JSON and reads back as it was',
  () => {
    const header = encodeWalletProof(proof)
    expect(header).toBe(Buffer.from(JSON.stringify(proof)).toString('base64url'))
    expect(decodeWalletProof(header)).toEqual(proof)
  },
)

const spoiled: [string, Record<string, unknown>][] = [
  ['an unknown member', { extra: 1 }],
  ['another version', { v: 2 }],
  ['another chain', { chain_id: 1 }],
  ['a chain id as text', { chain_id: '8453' }],
  ['an upper-case address', { wallet: wallet.toUpperCase().replace('0X', '0x') }],
  ['a checksummed address', { wallet: account.address }],
  ['a short address', { wallet: wallet.slice(0, -1) }],
  ['an address with a line feed', { wallet: `${wallet}\n` }],
  ['a nonce of 31 characters', { nonce: '0'.repeat(31) }],
  ['a nonce of 65 characters', { nonce: '0'.repeat(65) }],
  ['an upper-case nonce', { nonce: 'A'.repeat(32) }],
  ['a time with a fraction', { issued_at: 1.5 }],
  ['a time as text', { issued_at: '1795248310' }],
  ['a negative time', { issued_at: -1 }],
  ['a 64-byte signature', { signature: knownSignature.slice(0, 130) }],
  ['an upper-case signature', { signature: `0x${knownSignature.slice(2).toUpperCase()}` }],
  ['a path with a line feed', { path: '/api\nmethod: GET' }],
  ['a missing nonce', { nonce: undefined }],
  ['a method with a digit before it', { method: '1POST' }],
  ['a method with a digit after it', { method: 'POST1' }],
  ['a path that does not begin with a slash', { path: 'x/api' }],
  ['a digest of 65 characters', { body_sha256: `${knownDigest}0` }],
  ['a digest with a letter before it', { body_sha256: `g${knownDigest}` }],
  ['a digest with a letter after it', { body_sha256: `${knownDigest}g` }],
  ['a 66-byte signature', { signature: `${knownSignature}00` }],
  ['a 66-byte signature with its prefix doubled', { signature: `0x00${knownSignature.slice(2)}` }],
]

verifies(
  ['proof.encoding', 'proof.unknown-member', 'proof.upper-case'],
  'a proof that departs from the schema in one member is not read',
  () => {
    const read = spoiled.filter(
      ([, change]) =>
        decodeWalletProof(encodeWalletProof({ ...proof, ...change } as WalletProof)) !== undefined,
    )
    expect(read).toEqual([])
    expect(decodeWalletProof(encodeWalletProof({ ...proof, nonce: 'a'.repeat(64) }))).toBeDefined()
  },
)

verifies('proof.encoding', 'other encodings of the header are not read', () => {
  const header = encodeWalletProof(proof)
  const standard = Buffer.from(JSON.stringify(proof)).toString('base64')
  const padded = encodeWalletProof({ ...proof, path: `${proof.path}x` })
  const cases = [
    `${header} `,
    ` ${header}`,
    `${padded}=`,
    `${header}.`,
    standard.replaceAll('=', '').replaceAll('A', '+'),
    JSON.stringify(proof),
    Buffer.from('null').toString('base64url'),
    Buffer.from('[]').toString('base64url'),
    Buffer.from('{').toString('base64url'),
    '',
    Buffer.from(`${JSON.stringify(proof)}${' '.repeat(2000)}`).toString('base64url'),
  ]
  expect(cases.filter((text) => decodeWalletProof(text) !== undefined)).toEqual([])
})

verifies('proof.encoding', 'a header of 2,048 characters is read, a longer one is not', () => {
  const padded = (bytes: number) =>
    Buffer.from(JSON.stringify(proof).padEnd(bytes)).toString('base64url')
  expect(padded(1536)).toHaveLength(2048)
  expect(decodeWalletProof(padded(1536))).toEqual(proof)
  expect(decodeWalletProof(padded(1537))).toBeUndefined()
})

verifies('proof.encoding', 'no text makes the reader throw', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.json().map((text) => Buffer.from(text).toString('base64url')),
      ),
      (text) => decodeWalletProof(text) === undefined,
    ),
  )
})

verifies('proof.key-order', 'the body digest does not depend on the order of keys', () => {
  const reversed = Object.fromEntries(Object.entries(body).reverse())
  expect(JSON.stringify(reversed)).not.toBe(JSON.stringify(body))
  expect(bodySha256(reversed)).toBe(knownDigest)
})
