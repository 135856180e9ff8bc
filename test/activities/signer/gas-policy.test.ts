import { type Hex, toFunctionSelector } from 'viem'
import { expect } from 'vitest'
import { gasRefusal } from '../../../activities/signer/gas-policy.ts'
import { gasParams } from '../../../activities/signer/protocol.ts'
import { newWallet } from '../../support/chain.ts'
import { verifies } from '../../verifies.ts'

const [asset, wallet, other] = [newWallet(), newWallet(), newWallet()].map(
  ({ address }) => address.toLowerCase() as Hex,
) as [Hex, Hex, Hex]
const policy = { asset, feeMaxWei: 1_000_000n }
const byBytes = toFunctionSelector(
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
)
const byParts = toFunctionSelector(
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
)
const plain = {
  wallet,
  to: asset,
  data: `${byBytes}${'00'.repeat(32)}` as Hex,
  nonce: '0',
  gas: '1000',
  max_fee_per_gas: '1000',
  max_priority_fee_per_gas: '1',
}

verifies('signer.gas', 'a transfer by authorization and an empty filler are signed', () => {
  expect(gasRefusal(plain, policy)).toBeUndefined()
  expect(gasRefusal({ ...plain, data: `${byParts}00` }, policy)).toBeUndefined()
  expect(gasRefusal({ ...plain, to: wallet, data: '0x' }, policy)).toBeUndefined()
})

verifies('signer.gas', 'another recipient, contract or call is refused', () => {
  const others = ['transfer(address,uint256)', 'approve(address,uint256)', 'mint(address,uint256)']
  for (const change of [
    { to: other },
    { to: other, data: '0x' as const },
    { to: asset, data: '0x' as const },
    { to: wallet, data: plain.data },
    ...others.map((call) => ({ data: `${toFunctionSelector(call)}00` as Hex })),
  ])
    expect(gasRefusal({ ...plain, ...change }, policy), JSON.stringify(change)).toContain('neither')
})

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
