import { type Address, type Hex, parseAbiItem } from 'viem'
import { afterAll, beforeAll, expect } from 'vitest'
import { transferNonce } from '#domain/core/ids.ts'
import { requirePayout } from '../../../activities/store/payouts/payouts.ts'
import { wakePayout } from '../../../temporal/payouts.ts'
import { type Agent, eventually, openRail, type Rail } from '../../support/agent.ts'
import { insist, restart } from '../../support/faults.ts'
import { insertReservedTransfer } from '../../support/payout-rows.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

const CALLS = 150
/** `DRAIN_TRANSFERS=1000` is the whole proof; the suite runs a part of it, to keep its time. */
const TRANSFERS = Number(process.env['DRAIN_TRANSFERS'] ?? 150)
/** A machine with other work needs four times as long as one without, and every kill costs timeouts. */
const WITHIN_MS = 300_000 + TRANSFERS * 1_000
/** Each check reports first what was not done in time. */
const TEST_MS = WITHIN_MS + 30_000

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({
    apis: 2,
    workers: 2,
    env: {
      EXECUTE_WAIT_MS: '30000',
      CHAIN_POLL_MS: '200',
      FEE_BUMP_AFTER_MS: '5000',
      LIMIT_ADDRESS_PER_MINUTE: '1000000',
    },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

type Authorized = { payoutId: string; agent: Agent; recipient: string; nonce: Hex }

/** Payouts of 0.01 USDC, each created and authorized by an agent of its own. */
async function authorizeAll(count: number): Promise<Authorized[]> {
  const { asset } = rail
  const one = async (index: number): Promise<Authorized> => {
    const agent = await rail.openAgent({ api: index % stack.baseUrls.length })
    const { payout_id, recipient } = await rail.authorized(agent, { amount_usdc: '0.01' })
    return { payoutId: payout_id, agent, recipient, nonce: transferNonce(asset, payout_id) }
  }
  const done: Authorized[] = []
  while (done.length < count)
    done.push(...(await Promise.all(Array.from({ length: 25 }, (_, n) => one(done.length + n)))))
  return done
}

/** Everybody executes at the same moment through the API and insists until it is done. */
async function executeAll(payouts: readonly Authorized[]): Promise<void> {
  const execute = async ({ payoutId, agent: { client } }: Authorized) => {
    const call = () =>
      client.call('payout-execute', { payout_id: payoutId, idempotency_key: 'execute' })
    const { body } = await insist(call, WITHIN_MS)
    expect(body.payout.state).toBe('executed')
  }
  await Promise.all(payouts.map(execute))
}

async function reserve(payouts: readonly Authorized[]): Promise<void> {
  for (const { payoutId } of payouts) await insertReservedTransfer(rail.db, payoutId)
}

/** Starts every workflow at the same moment, and resolves when each payout is executed and each call answered. */
async function driveAll(payouts: readonly Authorized[]): Promise<void> {
  const ids = payouts.map(({ payoutId }) => payoutId)
  const wake = async (payoutId: string) =>
    wakePayout(rail.temporal, await requirePayout(rail.db, payoutId))
  const undone = async () => {
    const all = await rail.db
      .selectFrom('payouts')
      .leftJoin('calls', 'calls.subject', 'payout_id')
      .leftJoin('transfers', 'transfers.payout_id', 'payouts.payout_id')
      .select([
        'payouts.payout_id',
        'payouts.state',
        'transfers.status',
        'exception',
        'parked',
        'answer_state',
      ])
      .where('payouts.payout_id', 'in', ids)
      .execute()
    return all.filter(({ state, answer_state }) => state !== 'executed' || answer_state !== 'final')
  }
  await Promise.all(ids.map((id) => wake(id).catch(() => undefined)))
  expect(await eventually(undone, (left) => left.length === 0, WITHIN_MS, 250)).toEqual([])
}

/** Resolves when this share of the payouts has got so far that a hash is known. */
async function underWay(payouts: readonly Authorized[], share: number): Promise<void> {
  const ids = payouts.map(({ payoutId }) => payoutId)
  const count = async () => {
    const all = rail.db
      .selectFrom('transfers')
      .select('payout_id')
      .where('transaction_hash', 'is not', null)
    return (await all.where('payout_id', 'in', ids).execute()).length
  }
  await eventually(count, (found) => found >= ids.length * share, WITHIN_MS, 50)
}

/** By the chain's own logs each authorization was used once, and each recipient got its amount once. */
async function expectEachOnce(payouts: readonly Authorized[]): Promise<void> {
  const range = { address: rail.asset, fromBlock: 0n, toBlock: 'latest', strict: true } as const
  const [used, transfers] = await Promise.all([
    rail.chain.getLogs({
      ...range,
      event: usedEvent,
      args: { authorizer: rail.service.payoutWallet.address },
    }),
    rail.chain.getLogs({
      ...range,
      event: transferEvent,
      args: { from: rail.service.payoutWallet.address },
    }),
  ])
  const nonces = new Set(payouts.map(({ nonce }) => nonce))
  const ours = used.map(({ args }) => args.nonce).filter((nonce) => nonces.has(nonce))
  expect({ uses: ours.length, distinct: new Set(ours).size }).toEqual({
    uses: nonces.size,
    distinct: nonces.size,
  })
  const paid = new Map<string, bigint[]>()
  for (const { args } of transfers)
    paid.set(args.to.toLowerCase(), [...(paid.get(args.to.toLowerCase()) ?? []), args.value])
  for (const { recipient } of payouts) expect(paid.get(recipient)).toEqual([10_000n])
}

/** No nonce of a gas wallet is open, none is missing, and the chain is at the end of each queue; returns each wallet's nonces. */
async function expectDrained(): Promise<number[]> {
  const rows = () =>
    rail.db
      .selectFrom('gas_wallet_transactions')
      .select(['gas_wallet', 'eoa_nonce', 'outcome'])
      .execute()
  const all = await eventually(rows, (found) => found.every(({ outcome }) => outcome !== null))
  expect(all.filter(({ outcome }) => outcome === null)).toEqual([])
  const wallets = await rail.db.selectFrom('gas_wallets').selectAll().execute()
  for (const { address, next_nonce, jammed_at } of wallets) {
    const nonces = new Set(
      all.filter(({ gas_wallet }) => gas_wallet === address).map((row) => Number(row.eoa_nonce)),
    )
    expect([...nonces].sort((a, b) => a - b)).toEqual(
      Array.from({ length: Number(next_nonce) }, (_, nonce) => nonce),
    )
    const [mined, pooled] = await Promise.all(
      (['latest', 'pending'] as const).map((blockTag) =>
        rail.chain.getTransactionCount({ address: address as Address, blockTag }),
      ),
    )
    expect({ mined, pooled, jammed_at }).toEqual({
      mined: nonces.size,
      pooled: nonces.size,
      jammed_at: null,
    })
  }
  return wallets.map(({ next_nonce }) => Number(next_nonce))
}

/** How many are done in a second, said once. */
async function timed(what: string, count: number, work: () => Promise<void>): Promise<void> {
  const begun = performance.now()
  await work()
  const seconds = (performance.now() - begun) / 1000
  console.log(`${count} ${what} in ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(1)}/s`)
}

verifies(
  'gas-wallets.shared',
  `${CALLS} executes at once over three gas wallets leave no nonce stuck`,
  async () => {
    const payouts = await authorizeAll(CALLS)
    await timed('executes', CALLS, () => executeAll(payouts))
    await expectEachOnce(payouts)
    const nonces = await expectDrained()
    expect(nonces).toHaveLength(3)
    for (const share of nonces) expect(share).toBeGreaterThan(CALLS / 6)
  },
  TEST_MS,
)

verifies(
  'gas-wallets.shared',
  `${TRANSFERS} transfers under kills are each executed once`,
  async () => {
    const payouts = await authorizeAll(TRANSFERS)
    await reserve(payouts)
    await timed('transfers under kills', TRANSFERS, async () => {
      const done = driveAll(payouts)
      done.catch(() => undefined)
      await underWay(payouts, 0.25)
      await stack.worker(0).kill('SIGKILL')
      await underWay(payouts, 0.5)
      await stack.chain.kill('SIGKILL')
      await restart(stack.chain)
      await restart(stack.worker(0))
      await done
    })
    await expectEachOnce(payouts)
    await expectDrained()
  },
  TEST_MS,
)

const usedEvent = parseAbiItem(
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
)
const transferEvent = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)
