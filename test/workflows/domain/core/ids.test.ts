import { createHash } from 'node:crypto'
import { keccak256, stringToBytes } from 'viem'
import { expect } from 'vitest'
import { callId, paymentId, payoutId, receiptId, transferNonce } from '#domain/core/ids.ts'
import { verifies } from '../../../verifies.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const creator = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

verifies(
  'payout.id.derivation',
  'a payout id is po_ and SHA-256 of type, lowercase creator and key',
  () => {
    const text = `{"creator":"${creator.toLowerCase()}","idempotency_key":"c-1","type":"service.payout.v1"}`
    expect(payoutId(creator, 'c-1')).toBe(`po_${sha256(text)}`)
    expect(payoutId(creator.toLowerCase(), 'c-1')).toBe(payoutId(creator, 'c-1'))
    expect(payoutId(creator, 'c-2')).not.toBe(payoutId(creator, 'c-1'))
  },
)

verifies(
  'execute.nonce',
  'the transfer nonce is the keccak of domain, chain, asset and payout',
  () => {
    const id = `po_${'ab'.repeat(32)}`
    const text = `service.payout.eip3009-nonce.v1:8453:${asset.toLowerCase()}:${id}`
    expect(transferNonce(asset, id)).toBe(keccak256(stringToBytes(text)))
  },
)

verifies(
  'x402.payment-id',
  'a payment id is SHA-256 of lowercase network, asset, payer, nonce',
  () => {
    const nonce = `0x${'Ab'.repeat(32)}`
    const text = `x402:2:eip155:8453:${asset.toLowerCase()}:${creator.toLowerCase()}:${nonce.toLowerCase()}`
    expect(paymentId(asset, creator, nonce)).toBe(sha256(text))
  },
)

verifies('receipt.jws', 'a receipt id is rc_ and the SHA-256 of the JWS', () => {
  expect(receiptId('a.b.c')).toBe(`rc_${sha256('a.b.c')}`)
})

verifies('pipeline.replay', 'a call id is one for one caller, operation and key', () => {
  expect(callId('wallet:0x1', 'payout-create', 'k')).toBe(
    `call_${sha256('{"caller":"wallet:0x1","key":"k","operation":"payout-create"}')}`,
  )
  const ids = new Set([
    callId('a', 'b', 'c'),
    callId('ab', '', 'c'),
    callId('a', 'bc', ''),
    callId('a', 'b', 'd'),
  ])
  expect(ids.size).toBe(4)
})
