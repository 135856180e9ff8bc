import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChain } from '../../../activities/chain/client.ts'
import { watchGas } from '../../../activities/chain/funds.ts'
import { preflight } from '../../../activities/chain/preflight.ts'
import { findStartFaults } from '../../../activities/chain/start-checks.ts'
import { dollarTokenAbi } from '../../../worker/stack/token.ts'
import { newWallet } from '../../support/chain.ts'
import { verifies } from '../../verifies.ts'
import { type Fixture, GAS, startFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture?.stop())

type Sent = Awaited<ReturnType<Fixture['authorize']>>

const check = (
  { authorization, signature }: Sent,
  more: { gasWallets?: `0x${string}`[]; rpcUrl?: string } = {},
) => {
  const chain =
    more.rpcUrl === undefined
      ? fixture.chain
      : createChain({ rpcUrls: [more.rpcUrl], confirmRpcUrls: [], timeoutMs: 500 })
  const gasWallets = more.gasWallets ?? fixture.gasWallets.map((wallet) => wallet.address)
  const gas = watchGas(chain.reader, gasWallets, 0)
  return preflight(chain, { asset: fixture.asset, gas, transferGas: GAS }, authorization, signature)
}

async function asOwner(
  functionName: 'pause' | 'unpause' | 'blacklist' | 'unBlacklist',
  args: [] | [`0x${string}`] = [],
) {
  const hash = await fixture.client.writeContract({
    address: fixture.asset,
    abi: dollarTokenAbi,
    functionName,
    args,
  } as never)
  await fixture.client.waitForTransactionReceipt({ hash })
}

test('a transfer that would go through is ready', async () => {
  expect(await check(await fixture.authorize())).toEqual({ kind: 'ready' })
})

test('a used nonce is used', async () => {
  const sent = await fixture.authorize()
  await fixture.client.waitForTransactionReceipt({
    hash: await fixture.client.sendTransaction({ to: sent.call.to, data: sent.call.data }),
  })
  expect(await check(sent)).toEqual({ kind: 'used' })
})

test('a paused token parks, and unpausing it unblocks', async () => {
  const sent = await fixture.authorize()
  await asOwner('pause')
  expect(await check(sent)).toMatchObject({
    kind: 'parked',
    reason: 'the token is paused',
    unblock: expect.stringContaining('unpauses'),
  })
  await asOwner('unpause')
  expect(await check(sent)).toEqual({ kind: 'ready' })
})

test('an underfunded wallet parks with what is missing', async () => {
  const wallet = newWallet()
  await fixture.mint(wallet.address, 3n)
  const parked = await check(await fixture.authorize({ value: 10n }, wallet))
  expect(parked).toEqual({
    kind: 'parked',
    reason: `${wallet.address} holds 3 of the 10 atomic units`,
    unblock: `fund ${wallet.address} with 7 atomic units`,
  })
})

test('a blacklisted recipient parks', async () => {
  const sent = await fixture.authorize()
  await asOwner('blacklist', [sent.authorization.to])
  expect(await check(sent)).toMatchObject({
    kind: 'parked',
    reason: expect.stringContaining('blacklisted'),
  })
})

test('gas wallets without ether park', async () => {
  const empty = newWallet().address
  expect(await check(await fixture.authorize(), { gasWallets: [empty] })).toEqual({
    kind: 'parked',
    reason: 'no gas wallet has the ether for a transfer',
    unblock: `send ether to ${empty}`,
  })
})

test('a chain that is down parks', async () => {
  expect(await check(await fixture.authorize(), { rpcUrl: 'http://127.0.0.1:9' })).toMatchObject({
    kind: 'parked',
    reason: 'the chain does not answer',
  })
})

test('an expired authorization and a wrong signature park with their reason', async () => {
  const { timestamp } = await fixture.client.getBlock()
  expect(await check(await fixture.authorize({ validBefore: timestamp }))).toMatchObject({
    kind: 'parked',
    reason: 'the authorization has expired',
  })
  expect(await check(await fixture.authorize({ validAfter: timestamp + 1_000n }))).toMatchObject({
    kind: 'parked',
    reason: 'the authorization is not valid yet',
  })
  const sent = await fixture.authorize()
  expect(
    await check({ ...sent, authorization: { ...sent.authorization, value: 6n } }),
  ).toMatchObject({
    kind: 'parked',
    reason: expect.stringContaining('reverts'),
  })
})

test('a sound start has no faults', async () => {
  const wallets = {
    'payout wallet': fixture.payoutWallet.address,
    'gas wallet': fixture.gasWallets[0].address,
  }
  expect(
    await findStartFaults(fixture.chain, { environment: 'local', asset: fixture.asset, wallets }),
  ).toEqual([])
})

verifies(
  'local.worthless-signatures',
  'public test accounts, shared addresses and a wrong asset stop a start',
  async () => {
    const published = mnemonicToAccount(
      'test test test test test test test test test test test junk',
      {
        addressIndex: 9,
      },
    ).address
    const faults = await findStartFaults(fixture.chain, {
      environment: 'local',
      asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      wallets: {
        'payout wallet': published,
        'pay-to address': fixture.owner.address,
        'gas wallet': fixture.owner.address,
      },
    })
    expect(faults).toEqual([
      expect.stringContaining('known asset'),
      expect.stringContaining('published mnemonic'),
      expect.stringContaining('the same address'),
      expect.stringContaining('no EIP-3009 token'),
    ])
  },
)

test('a chain that is down is a start fault', async () => {
  const down = createChain({ rpcUrls: ['http://127.0.0.1:9'], confirmRpcUrls: [], timeoutMs: 500 })
  expect(
    await findStartFaults(down, { environment: 'local', asset: fixture.asset, wallets: {} }),
  ).toEqual(['the chain does not answer'])
})
