import { stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type Address,
  encodeAbiParameters,
  keccak256,
  pad,
  parseAbi,
  parseSignature,
  toHex,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dollarTokenAbi } from '../../../worker/stack/token.ts'
import { newWallet, startChain, type TestChain } from '../../support/chain.ts'

const abi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

const read = <Name extends 'name' | 'version' | 'decimals' | 'DOMAIN_SEPARATOR'>(
  functionName: Name,
) => chain.client.readContract({ address: chain.asset, abi, functionName })
const balance = (address: Address) =>
  chain.client.readContract({
    address: chain.asset,
    abi: dollarTokenAbi,
    functionName: 'balanceOf',
    args: [address],
  })

async function authorization(to: Address, value: bigint, nonce: number) {
  const message = {
    from: chain.payoutWallet.address,
    to,
    value,
    validAfter: 0n,
    validBefore: 4_102_444_800n,
    nonce: pad(toHex(nonce)),
  }
  const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: chain.asset }
  const signature = await chain.payoutWallet.account.signTypedData({
    domain,
    types,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const terms = [message.from, to, value, 0n, message.validBefore, message.nonce] as const
  return { signature, terms }
}

test('the token has the name, decimals and EIP-712 domain of USD Coin', async () => {
  expect(await Promise.all([read('name'), read('version'), read('decimals')])).toEqual([
    'USD Coin',
    '2',
    6,
  ])
  const text = (value: string) => keccak256(toHex(value))
  const domainType = text(
    'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
  )
  const encoded = encodeAbiParameters(
    [
      { type: 'bytes32' },
      { type: 'bytes32' },
      { type: 'bytes32' },
      { type: 'uint256' },
      { type: 'address' },
    ],
    [domainType, text('USD Coin'), text('2'), 8453n, chain.asset],
  )
  expect(await read('DOMAIN_SEPARATOR')).toBe(keccak256(encoded))
})

test('an EIP-3009 authorization moves its amount once, by either overload', async () => {
  const to = newWallet().address
  const one = await authorization(to, 5n, 1)
  const two = await authorization(to, 7n, 2)
  const { v, r, s } = parseSignature(two.signature)
  const request = { address: chain.asset, abi, functionName: 'transferWithAuthorization' } as const
  await chain.client.waitForTransactionReceipt({
    hash: await chain.client.writeContract({ ...request, args: [...one.terms, one.signature] }),
  })
  await chain.client.waitForTransactionReceipt({
    hash: await chain.client.writeContract({ ...request, args: [...two.terms, Number(v), r, s] }),
  })
  expect(await balance(to)).toBe(12n)
  await expect(
    chain.client.writeContract({ ...request, args: [...one.terms, one.signature] }),
  ).rejects.toThrow()
})

test('a paused token and a blacklisted account move nothing', async () => {
  const to = newWallet().address
  const asOwner = (functionName: 'pause' | 'unpause') =>
    chain.client.writeContract({ address: chain.asset, abi: dollarTokenAbi, functionName })
  await asOwner('pause')
  await expect(chain.mint(to, 1n)).rejects.toThrow()
  await asOwner('unpause')
  await chain.client.writeContract({
    address: chain.asset,
    abi: dollarTokenAbi,
    functionName: 'blacklist',
    args: [to],
  })
  await expect(chain.mint(to, 1n)).rejects.toThrow()
})

test('finalized blocks follow the newest ones', async () => {
  const latest = await chain.client.getBlockNumber()
  await expect
    .poll(async () => (await chain.client.getBlock({ blockTag: 'finalized' })).number)
    .toBeGreaterThanOrEqual(latest)
})

test.each(['{"block":', ''])(
  'blocks survive kill -9, also when the state file was cut off at %j',
  async (torn) => {
    const to = newWallet().address
    const state = join(dirname(chain.part.plan.logFile), 'chain', 'state.json')
    const writtenAfter = (file: string, time: number) =>
      expect.poll(async () => (await stat(file)).mtimeMs).toBeGreaterThan(time)
    await chain.mint(to, 9n)
    await writtenAfter(state, Date.now() + 1_000)
    await writtenAfter(state.replace('.json', '.previous.json'), Date.now())
    await chain.part.kill('SIGKILL')
    await writeFile(state, torn)
    await chain.part.start()
    await chain.part.waitReady()
    expect(await balance(to)).toBe(9n)
  },
)
