import { encodeFunctionData, type Hex, parseAbi, toFunctionSelector } from 'viem'
import { expect } from 'vitest'
import { encodeTransfer, signAuthorization } from '../../../activities/chain/authorization.ts'
import { digestSigner } from '../../../activities/chain/secp256k1.ts'
import { gasRefusal } from '../../../activities/signer/gas-policy.ts'
import { gasParams } from '../../../activities/signer/protocol.ts'
import { newWallet } from '../../support/chain.ts'
import { verifies } from '../../verifies.ts'

const lower = (address: string) => address.toLowerCase() as Hex
const [asset, wallet, other, payer, payTo, recipient] = Array.from({ length: 6 }, () =>
  lower(newWallet().address),
) as [Hex, Hex, Hex, Hex, Hex, Hex]
const key = newWallet()
const payoutWallet = lower(key.address)
const policy = { asset, payoutWallet, payTo, feeMaxWei: 1_000_000n }
const payment = {
  from: payer,
  to: payTo,
  value: 5n,
  validAfter: 0n,
  validBefore: 4_000_000_000n,
  nonce: `0x${'ab'.repeat(32)}` as Hex,
}
const payout = { ...payment, from: payoutWallet, to: recipient }
const signature = await signAuthorization(digestSigner(key.privateKey), asset, payout)
const byParts = ({ from, to, value, validAfter, validBefore, nonce }: typeof payment) =>
  encodeFunctionData({
    abi: parseAbi([
      'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
    ]),
    args: [from, to, value, validAfter, validBefore, nonce, 27, nonce, nonce],
  })
const plain = {
  wallet,
  to: asset,
  data: encodeTransfer(payment, '0x1234'),
  nonce: '0',
  gas: '1000',
  max_fee_per_gas: '1000',
  max_priority_fee_per_gas: '1',
}
const judged = (change: Partial<typeof plain>) => gasRefusal({ ...plain, ...change }, policy)

verifies('signer.gas', 'payouts, payments to the service and an empty filler are signed', () => {
  expect(judged({})).toBeUndefined()
  expect(judged({ data: byParts(payment) })).toBeUndefined()
  expect(judged({ data: encodeTransfer(payout, signature) })).toBeUndefined()
  expect(judged({ to: wallet, data: '0x' })).toBeUndefined()
})

verifies('signer.gas', 'another recipient, contract or call is refused', () => {
  const selectors = ['transfer(address,uint256)', 'approve(address,uint256)'].map((call) =>
    toFunctionSelector(call),
  )
  for (const change of [
    { to: other },
    { to: other, data: '0x' as const },
    { to: asset, data: '0x' as const },
    { to: wallet, data: plain.data },
    ...selectors.map((selector) => ({ data: `${selector}${plain.data.slice(10)}` as Hex })),
  ])
    expect(judged(change), JSON.stringify(change)).toContain('is neither a transfer of the token')
})

verifies(
  ['signer.gas', 'stolen.socket-wallets', 'stolen.process-worker'],
  'the whole call is read, each argument and every byte',
  () => {
    const { data } = plain
    const dirty = data.replace(
      payer.slice(2).padStart(64, '0'),
      `1${payer.slice(2).padStart(63, '0')}`,
    )
    expect(dirty).not.toBe(data)
    for (const changed of [
      data.slice(0, 10),
      `${data.slice(0, 10)}${'00'.repeat(32)}`,
      data.slice(0, -2),
      `${data}00`,
      `${data}${'00'.repeat(32)}`,
      dirty,
      `${byParts(payment)}00`,
      encodeTransfer(payment, `0x${'11'.repeat(2_049)}`),
    ])
      expect(judged({ data: changed as Hex }), changed).toContain(
        'is neither a transfer of the token',
      )
    expect(judged({ data: encodeTransfer({ ...payment, value: 0n }, '0x12') })).toContain('nothing')
    expect(judged({ data: encodeTransfer({ ...payment, to: other }, '0x12') })).toContain(
      'neither a payout nor a payment',
    )
    for (const unsigned of [
      encodeTransfer({ ...payout, to: other }, signature),
      encodeTransfer({ ...payout, value: 6n }, signature),
      encodeTransfer(payout, '0x'),
      byParts(payout),
    ])
      expect(judged({ data: unsigned })).toBe('the payout wallet has not signed this transfer')
  },
)

verifies('signer.gas', 'gas and fee have a bound, and a transaction has a recipient', () => {
  expect(gasRefusal({ ...plain, max_fee_per_gas: '1001' }, policy)).toBe(
    'the fee of 1001000 wei is above 1000000',
  )
  const wide = { ...policy, feeMaxWei: 10n ** 30n }
  expect(gasRefusal({ ...plain, gas: '500000' }, wide)).toBeUndefined()
  expect(gasRefusal({ ...plain, gas: '500001' }, wide)).toBe('the gas is above 500000')
  expect(gasParams.safeParse(plain).success).toBe(true)
  for (const change of [
    { to: null },
    { to: '0x' },
    { to: undefined },
    { value: '1' },
    { gas: '-1' },
    { gas: '01' },
    { max_fee_per_gas: '1e9' },
    { data: '0xA9' },
    { nonce: 0 },
  ])
    expect(gasParams.safeParse({ ...plain, ...change }).success, JSON.stringify(change)).toBe(false)
})
