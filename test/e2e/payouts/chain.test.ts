import { type Address, type Hex, keccak256, parseGwei } from 'viem'
import { afterAll, beforeAll, expect } from 'vitest'
import { encodeTransfer } from '../../../activities/chain/authorization.ts'
import { authorizationOf } from '../../../activities/payouts/transfer.ts'
import { dollarTokenAbi } from '../../../worker/stack/token.ts'
import type { Payout } from '../../../worker/stack/treasury.ts'
import { type Agent, eventually, openRail, type Rail } from '../../support/agent.ts'
import {
  broadcast,
  chainRecord,
  claimsOf,
  expectExecutedOnce,
  haltMining,
  insist,
  refusalOf,
} from '../../support/faults.ts'
import { dailyUse } from '../../support/payout-rows.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({
    runWorkers: 0,
    env: {
      EXECUTE_WAIT_MS: '1500',
      CONFIRM_WINDOW_MS: '500',
      SWEEP_EVERY_MS: '300',
      CHAIN_POLL_MS: '100',
    },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const execute = (agent: Agent, { payout_id }: Payout) =>
  agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })

const transferOf = ({ payout_id }: Payout) =>
  rail.db
    .selectFrom('transfers')
    .selectAll()
    .where('payout_id', '=', payout_id)
    .executeTakeFirstOrThrow()
const statusOf = async (payout: Payout) => (await transferOf(payout)).status
const rollback = (blocks: number) =>
  rail.chain.request({ method: 'anvil_rollback', params: [blocks] } as never)
const mine = async (blocks = 1) => (blocks > 0 ? rail.chain.mine({ blocks }) : undefined)

/** Executed in the newest block of a chain that mines nothing more by itself. */
async function executeInHeadBlock(agent: Agent, payout: Payout): Promise<void> {
  expect((await execute(agent, payout)).status).toBe(202)
  await broadcast(rail, payout.payout_id)
  await mine()
  expect(
    await eventually(
      () => statusOf(payout),
      (status) => status === 'included',
    ),
  ).toBe('included')
}

const vanishing = [
  [
    1,
    'a block that vanishes after inclusion: the same authorization is sent again, executed once, and becomes final',
  ],
  [40, 'forty blocks that vanish after inclusion: the transfer is sent again and becomes final'],
] as const

for (const [depth, title] of vanishing) {
  verifies(['execute.reorg', 'execute.final', 'execute.never-resigned'], title, async () => {
    const agent = await rail.openAgent()
    const payout = await rail.authorized(agent)
    const resume = await haltMining(rail)
    await mine(depth - 1)
    await executeInHeadBlock(agent, payout)
    const before = await transferOf(payout)
    await rollback(depth)
    // A node whose chain is shorter than before may only be behind.
    await mine(depth)
    expect(
      await eventually(
        () => statusOf(payout),
        (status) => status === 'submitted',
      ),
    ).toBe('submitted')
    expect(await rail.balance(payout.recipient)).toBe(0n)
    await resume()
    expect(
      await eventually(
        () => statusOf(payout),
        (status) => status === 'final',
      ),
    ).toBe('final')
    expect((await transferOf(payout)).signature).toBe(before.signature)
    const { body } = await agent.client.call('payout-status', { payout_id: payout.payout_id })
    await expectExecutedOnce(rail, body, before.transaction_hash)
    const final = claimsOf(body.receipts.at(-1) as string)
    expect(final).toMatchObject({
      kind: 'payout_final',
      transaction_hash: body.payout.transfer.transaction_hash,
    })
  })
}

verifies(
  'execute.confirmed-by-logs',
  'a transfer sent first by a third party is executed with its hash',
  async () => {
    const agent = await rail.openAgent()
    const payout = await rail.authorized(agent)
    const resume = await haltMining(rail)
    const answer = insist(() => execute(agent, payout))
    await broadcast(rail, payout.payout_id)
    const transfer = await transferOf(payout)
    const data = encodeTransfer(authorizationOf(transfer), transfer.signature as Hex)
    const fees = { maxFeePerGas: parseGwei('1000'), maxPriorityFeePerGas: parseGwei('500') }
    const theirs = await rail.chain.sendTransaction({
      to: rail.asset,
      data,
      gas: 300_000n,
      ...fees,
    })
    await resume()
    const { body } = await answer
    await expectExecutedOnce(rail, body)
    expect(body.payout.transfer.transaction_hash).toBe(theirs)
    const ours = await rail.db
      .selectFrom('gas_wallet_transactions')
      .select('raw')
      .where('purpose', '=', `payout:${payout.payout_id}`)
      .execute()
    expect(ours.map(({ raw }) => keccak256(raw as Hex))).not.toContain(theirs)
  },
)

/** One payout that is parked and one whose block has vanished, when the time of both runs out on chain. */
async function letTimeRunOut() {
  const [payer, other] = await Promise.all([
    rail.openAgent({ tokens: 1_000_000n }),
    rail.openAgent(),
  ])
  const [parked, vanished] = await Promise.all([
    rail.authorized(payer, { amount_usdc: '3' }),
    rail.authorized(other),
  ])
  await rail.useUpFreeCalls(payer.address)
  const blacklisted = await rail.chain.writeContract({
    address: rail.asset,
    abi: dollarTokenAbi,
    functionName: 'blacklist',
    args: [parked.recipient as Address],
  })
  await rail.chain.waitForTransactionReceipt({ hash: blacklisted })
  const used = (await dailyUse(rail.db, parked.payout_wallet)).atomic
  const waiting = await insistOnReservation(payer, parked)
  const resume = await haltMining(rail)
  await executeInHeadBlock(other, vanished)
  const held = (await dailyUse(rail.db, parked.payout_wallet)).atomic
  await rollback(1)
  await rail.chain.increaseTime({ seconds: 4_000 })
  await resume()
  return { payer, other, parked, vanished, waiting, used, held }
}

/** A paid execute: what it answers once its fee is settled. */
const insistOnReservation = (agent: Agent, payout: Payout) =>
  eventually(
    () => execute(agent, payout),
    ({ body }) => body.payout.next_action.includes('blacklisted'),
  )

let scene: Awaited<ReturnType<typeof letTimeRunOut>>

verifies(
  ['execute.dead', 'execute.parked'],
  'a parked transfer that expires is dead, and its fee becomes a credit',
  async () => {
    scene = await letTimeRunOut()
    const { payer, parked, vanished, waiting, used, held } = scene
    expect(waiting.status).toBe(202)
    expect(held - used).toBe(4_000_000n)
    expect(
      await eventually(
        () => statusOf(parked),
        (status) => status === 'dead',
        30_000,
      ),
    ).toBe('dead')
    expect(
      await eventually(
        () => statusOf(vanished),
        (status) => status === 'dead',
        30_000,
      ),
    ).toBe('dead')
    expect((await dailyUse(rail.db, parked.payout_wallet)).atomic).toBe(used)

    const paid = await rail.balance(payer.address)
    expect(await refusalOf(execute(payer, parked))).toMatchObject({
      status: 410,
      code: 'payout_expired',
      money_moved: 'no',
    })
    const { body } = await payer.client.call('payout-status', { payout_id: parked.payout_id })
    expect(await rail.balance(payer.address)).toBe(paid)
    expect(body.payout).toMatchObject({
      state: 'authorized',
      money_moved: 'no',
      transfer: { status: 'dead' },
    })
    expect(claimsOf(body.receipt as string)).toMatchObject({
      kind: 'payout_dead',
      money_moved: 'no',
    })
    expect(await chainRecord(rail, body.payout)).toMatchObject({ uses: 0, transfers: [], held: 0n })
  },
)

verifies(
  ['execute.voided', 'views.attention'],
  'a payout whose block vanished and whose time ran out is voided',
  async () => {
    const { other, vanished } = scene
    const { body } = await other.client.call('payout-status', { payout_id: vanished.payout_id })
    expect(body.payout).toMatchObject({ money_moved: 'no', transfer: { status: 'dead' } })
    expect(claimsOf(body.receipt as string)).toMatchObject({
      kind: 'payout_voided',
      money_moved: 'no',
    })
    expect(await chainRecord(rail, body.payout)).toMatchObject({ uses: 0, transfers: [], held: 0n })
    const seen = async (query: string) =>
      (await rail.temporal.workflow.count(`${query} AND WorkflowId = "${vanished.payout_id}"`))
        .count
    const coded = () => seen('ExceptionCode IS NOT NULL AND ExecutionStatus = "Completed"')
    expect(await eventually(coded, (count) => count === 1)).toBe(1)
    expect(
      await eventually(
        () => seen('NeedsAttention = true'),
        (count) => count === 0,
      ),
    ).toBe(0)
  },
)
