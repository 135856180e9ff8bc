import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import {
  domainSeparator,
  recoverTypedDataAddress,
  toEventSelector,
  toFunctionSelector,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import {
  encodeTransfer,
  signAuthorization,
  type TokenAuthorization,
  tokenDomain,
} from '../../../activities/chain/authorization.ts'
import { bumpFees } from '../../../activities/chain/fees.ts'
import { digestSigner, signInJavaScript } from '../../../activities/chain/secp256k1.ts'
import { tokenAbi, tokenEvents } from '../../../activities/chain/token.ts'

const usdc = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const authorization = {
  from: '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
  to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  value: 1_250_000n,
  validAfter: 0n,
  validBefore: 1_800_000_000n,
  nonce: `0x${'ab'.repeat(32)}`,
} as const

/** As wallets sign it. */
const typedData = (message: TokenAuthorization) =>
  ({
    domain: tokenDomain(usdc),
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message,
  }) as const

test('the domain is the one of USDC on Base', () => {
  expect(domainSeparator({ domain: tokenDomain(usdc) })).toBe(
    '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
  )
})

test('a signature recovers to its signer', async () => {
  const signature = await signAuthorization(account, usdc, authorization)
  expect(await recoverTypedDataAddress({ ...typedData(authorization), signature })).toBe(
    account.address,
  )
})

test('libsecp256k1 and JavaScript sign typed data exactly as viem does', async () => {
  const [word, address] = [32, 20].map((length) =>
    fc.uint8Array({ minLength: length, maxLength: length }).map(toHex),
  )
  const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
  const terms = fc.record({
    from: address!,
    to: address!,
    value: amount,
    validAfter: amount,
    validBefore: amount,
    nonce: word!,
  })
  await fc.assert(
    fc.asyncProperty(fc.tuple(word!, terms), async ([key, signed]) => {
      fc.pre(secp256k1.utils.isValidPrivateKey(key.slice(2)))
      const expected = await privateKeyToAccount(key).signTypedData(typedData(signed))
      expect(await signAuthorization(digestSigner(key), usdc, signed)).toBe(expected)
      expect(await signAuthorization(digestSigner(key, signInJavaScript), usdc, signed)).toBe(
        expected,
      )
    }),
    { numRuns: 40 },
  )
})

test('selectors and topics are those of the token on Base', async () => {
  const signature = await signAuthorization(account, usdc, authorization)
  expect(encodeTransfer(authorization, signature).slice(0, 10)).toBe('0xcf092995')
  const selectors = Object.fromEntries(
    tokenAbi.map((entry) => [entry.name, toFunctionSelector(entry)]),
  )
  expect(selectors['authorizationState']).toBe('0xe94a0102')
  const topics = Object.fromEntries(
    tokenEvents.map((event) => [event.name, toEventSelector(event)]),
  )
  expect(topics['AuthorizationUsed']).toBe(
    '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
  )
  expect(topics['AuthorizationCanceled']).toBe(
    '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81',
  )
  expect(topics['Transfer']).toMatch(/^0xddf252ad.*b3ef$/)
})

test('a replacement pays an eighth more or the network fee, to the ceiling', () => {
  const network = { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n }
  expect(bumpFees({ maxFeePerGas: 200n, maxPriorityFeePerGas: 100n }, network)).toEqual({
    maxFeePerGas: 225n,
    maxPriorityFeePerGas: 113n,
  })
  expect(bumpFees({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }, network)).toEqual({
    maxFeePerGas: 100n,
    maxPriorityFeePerGas: 10n,
  })
  expect(bumpFees({ maxFeePerGas: 5_000n, maxPriorityFeePerGas: 10n }, network)).toBeUndefined()
})
