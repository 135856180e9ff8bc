import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyBroadcast } from '../../../activities/chain/broadcast.ts'
import { verifies } from '../../verifies.ts'

/** What nodes say, by kind: geth, reth, erigon, nethermind, besu and anvil. */
const sayings = {
  known: [
    'already known',
    'transaction already imported',
    'known transaction: 0x12',
    'same hash was already imported',
    'AlreadyKnown',
  ],
  nonce_too_low: [
    'nonce too low: next nonce 5, tx nonce 4',
    'Nonce is too low',
    'nonce has already been used',
    'OldNonce',
  ],
  nonce_too_high: [
    'nonce too high',
    'nonce gap too large',
    'gapped-nonce tx from delegated accounts',
  ],
  underpriced: [
    'replacement transaction underpriced',
    'transaction underpriced: tip needed 1, tip permitted 0',
    'max fee per gas less than block base fee: address 0x12, maxFeePerGas: 1, baseFee: 2',
    'FeeTooLow, MaxFeePerGas too low',
    'Gas price below configured minimum gas price',
    'effective gas price too low',
  ],
  insufficient_funds: [
    'insufficient funds for gas * price + value: balance 0, tx cost 1',
    'InsufficientFunds',
  ],
  unknown: [
    'The request took too long to respond.',
    '502 Bad Gateway',
    'intrinsic gas too low',
    'txpool is full',
    'exceeds block gas limit',
    'rate limit exceeded: too many requests',
    'internal error',
  ],
} as const
type Verdict = keyof typeof sayings
const each = Object.entries(sayings).flatMap(([verdict, texts]) =>
  texts.map((text) => [text, verdict as Verdict] as const),
)

test.each(each)('a node that says "%s" means %s', (text, verdict) => {
  expect(classifyBroadcast(text)).toBe(verdict)
})

/** Numbers, hashes and punctuation: what stands around the words of a node. */
const noise = fc.stringMatching(/^[0-9A-F:;,.[\](){}"' \n-]{0,40}$/)

verifies('gas-wallets.laws', 'a node’s message is understood in any spelling and context', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...each),
      noise,
      noise,
      fc.boolean(),
      ([text, verdict], before, after, loud) => {
        const said = `${before} ${loud ? text.toUpperCase() : text} ${after}`
        return classifyBroadcast(said) === verdict
      },
    ),
  )
})

verifies('gas-wallets.laws', 'words without a saying in them prove nothing', () => {
  const words = fc.array(
    fc.constantFrom(
      'gas',
      'limit',
      'error',
      'transaction',
      'timeout',
      'pool',
      'server',
      'nonce',
      'fee',
      'price',
    ),
  )
  fc.assert(fc.property(words, (some) => classifyBroadcast(some.join(' ')) === 'unknown'))
})
