import { parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import { findTransfer } from '../../../activities/store/payouts/payouts.ts'
import { dollarTokenAbi, mintTokens } from '../../../worker/stack/token.ts'
import { openTreasury, type Payout } from '../../../worker/stack/treasury.ts'
import { type Agent, eventually, nowSeconds, openRail, type Rail } from '../../support/agent.ts'
import { runCli } from '../../support/cli.ts'
import { chainRecord, expectExecutedOnce, haltMining, insist, pause } from '../../support/faults.ts'
import { sendTokens } from '../../support/payments.ts'
import { insertReservedTransfer } from '../../support/payout-rows.ts'
import { within } from '../../support/slowness.ts'
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
      GAS_WALLET_JAM_AFTER_MS: '2500',
      // Each payout here is carried on by its own workflow alone.
      LATE_AFTER_MS: '3600000',
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

const cli = (...args: string[]) => runCli(stack.env, ...args)

const fillGasWallets = (value: bigint) =>
  Promise.all(
    rail.service.gasWallets.map(({ address }) => rail.chain.setBalance({ address, value })),
  )

/** Whether operators who filter for payouts that need them see this one. */
async function needsAttention({ payout_id }: Payout): Promise<boolean> {
  const query = `NeedsAttention = true AND WorkflowId = "${payout_id}" AND ExecutionStatus = "Running"`
  for await (const _ of rail.temporal.workflow.list({ query })) return true
  return false
}

/** Executes without success: 202 with the reason, the money unknown, and an alert to operators. */
async function expectParked(agent: Agent, payout: Payout, reason: RegExp): Promise<void> {
  const parked = () => execute(agent, payout)
  const answer = await eventually(parked, ({ body }) => reason.test(body.payout.next_action))
  expect(answer).toMatchObject({
    status: 202,
    body: { payout: { state: 'authorized', money_moved: 'unknown' } },
  })
  expect(answer.body.payout.next_action).toMatch(reason)
  expect(await eventually(() => needsAttention(payout), Boolean)).toBe(true)
}

async function expectFinished(agent: Agent, payout: Payout): Promise<void> {
  await expectExecutedOnce(rail, (await insist(() => execute(agent, payout))).body)
  expect(
    await eventually(
      () => needsAttention(payout),
      (seen) => !seen,
    ),
  ).toBe(false)
}

verifies(
  ['execute.parked', 'operate.recover', 'operate.legible'],
  'a paused token parks a payout; recover wakes it and it is executed',
  async () => {
    const agent = await rail.openAgent()
    const payout = await rail.authorized(agent)
    const owner = { address: rail.asset, abi: dollarTokenAbi } as const
    const pausing = await rail.chain.writeContract({ ...owner, functionName: 'pause' })
    await rail.chain.waitForTransactionReceipt({ hash: pausing })
    await expectParked(agent, payout, /the token is paused/)

    const [list, explained, agrees] = await Promise.all([
      cli('recover', 'list', '--stuck'),
      cli('recover', 'explain', payout.payout_id),
      cli('recover', 'reconcile'),
    ])
    expect(list.text).toContain(payout.payout_id)
    expect(list.text).toContain('the token is paused')
    expect(explained.text).toMatch(/workflow +running/)
    expect(explained.text).toContain(`agent-rails recover act ${payout.payout_id} wake`)
    expect(agrees).toMatchObject({ code: 0, text: expect.stringContaining('rows and chain agree') })

    const unpausing = await rail.chain.writeContract({ ...owner, functionName: 'unpause' })
    await rail.chain.waitForTransactionReceipt({ hash: unpausing })
    const { text: credential } = await cli('operator', 'create', 'day shift')
    const by = ['--operator', credential.trim(), '--reason', 'unpaused']
    expect((await cli('recover', 'act', payout.payout_id, 'wake', ...by, '--json')).text).toContain(
      '"operator_name": "day shift"',
    )
    const woken = performance.now()
    await expectFinished(agent, payout)
    expect(performance.now() - woken).toBeLessThan(10_000)
    expect((await cli('recover', 'explain', `po_${'0'.repeat(64)}`)).code).toBe(1)
  },
)

verifies('execute.parked', 'underfunded wallets park payouts until they are funded', async () => {
  const [agent, other] = await Promise.all([rail.openAgent(), rail.openAgent()])
  const [large, small] = [
    await rail.authorized(agent, { amount_usdc: '2' }),
    await rail.authorized(other),
  ]
  const { payoutWallet, payTo } = rail.service
  const surplus = (await rail.balance(payoutWallet.address)) - 1_999_999n
  await sendTokens(rail, privateKeyToAccount(payoutWallet.private_key), payTo.address, surplus)
  await fillGasWallets(0n)
  await Promise.all([
    expectParked(
      agent,
      large,
      /holds 1999999 of the 2000000 atomic units; fund 0x[0-9a-f]{40} with 1 atomic/i,
    ),
    expectParked(other, small, /no gas wallet has the ether for a transfer; send ether to 0x/),
  ])
  await mintTokens(rail.chain, rail.asset, payoutWallet.address, 1_000_000_000n)
  await fillGasWallets(parseEther('1'))
  await Promise.all([expectFinished(agent, large), expectFinished(other, small)])
})

verifies(
  'recovery.expired',
  'a never sent transfer is dead by a later final block, unwoken',
  async () => {
    const agent = await rail.openAgent()
    const expiresAt = nowSeconds() + Math.ceil(within(40_000) / 1_000)
    const payout = await rail.authorized(agent, {}, { expiresAt })
    const { payout_id } = payout
    await fillGasWallets(0n)
    await expectParked(agent, payout, /no gas wallet has the ether for a transfer/)
    const resume = await haltMining(rail)
    await pause(expiresAt * 1_000 - Date.now() + 1_000)
    const { body } = await agent.client.call('payout-status', { payout_id })
    expect(body.payout).toMatchObject({ state: 'authorized', money_moved: 'unknown' })
    expect(body.payout.next_action).toMatch(/expired, waiting for finality/)
    await resume()
    const status = async () => (await findTransfer(rail.db, payout_id))?.status
    await expect.poll(status, { timeout: within(120_000) }).toBe('dead')
    const wakes = rail.db.selectFrom('late_wakes').selectAll().where('id', '=', payout_id)
    expect(await wakes.execute()).toEqual([])
    expect(await chainRecord(rail, body.payout)).toMatchObject({ uses: 0, held: 0n })
    await fillGasWallets(parseEther('1'))
  },
)

verifies(
  ['gas-wallets.alarm', 'execute.parked'],
  'without new blocks a transfer is parked behind its gas wallet',
  async () => {
    const agent = await rail.openAgent()
    const payout = await rail.authorized(agent)
    const resume = await haltMining(rail)
    await expectParked(
      agent,
      payout,
      /gas wallet 0x[0-9a-f]{40} has not moved since 20\d\d-.*one that moves takes/,
    )
    const jam = /WARN +gas wallet queues +gas wallet (0x[0-9a-f]{40}) has not moved since (\S+),/
    const { text } = await cli('doctor')
    expect(text).toMatch(jam)
    const [, wallet, since] = jam.exec(text) ?? []
    await resume()
    await expectFinished(agent, payout)
    const warning = `${wallet}.*${since}.*a gas wallet has not moved for too long`
    expect(stack.logs()['worker']?.match(new RegExp(warning, 'g'))).toHaveLength(1)
    const sent = rail.db
      .selectFrom('gas_wallet_transactions')
      .selectAll()
      .where('purpose', '=', `payout:${payout.payout_id}`)
    expect(new Set((await sent.execute()).map(({ gas_wallet }) => gas_wallet)).size).toBe(1)
  },
)

verifies(
  'operate.operator-create',
  'operator create prints a credential that works and is stored nowhere',
  async () => {
    const { text } = await cli('operator', 'create', 'night shift')
    const credential = /\bop_[0-9a-f]{16}_[0-9a-f]{64}\b/.exec(text)?.[0] as string
    const origin = stack.baseUrls[0] as string
    const as = (operator: string) =>
      openTreasury({ baseUrl: origin, origin, accounts: stack.accounts.treasury, operator })
    const payout = await rail.create(await rail.openAgent())
    const terms = { expiresAt: nowSeconds() + 3600, idempotencyKey: 'authorize' }
    const [id, secret] = credential.split(/_(?=[^_]*$)/) as [string, string]
    await expect(as(`${id}_${'0'.repeat(64)}`).authorize(payout, terms)).rejects.toMatchObject({
      code: 'credential_invalid',
    })
    expect(await as(credential).authorize(payout, terms)).toMatchObject({
      payout_id: payout.payout_id,
    })
    const stored = JSON.stringify(await rail.db.selectFrom('operators').selectAll().execute())
    expect(stored).toContain('night shift')
    expect(stored).not.toContain(secret)
  },
)

verifies('recovery.stuck', 'explain says first what is wrong with a payout', async () => {
  const explained = async (id: string) =>
    JSON.parse((await cli('recover', 'explain', id, '--json')).out) as Record<string, string>
  const agent = await rail.openAgent()
  const { payout_id } = await rail.authorized(agent)
  expect((await explained(payout_id))['problem']).toBeNull()
  await insertReservedTransfer(rail.db, payout_id)
  const unknown = await explained(payout_id)
  expect(Object.keys(unknown)[0]).toBe('problem')
  expect(unknown['problem']).toMatch(
    /^its workflow runs and does not know its row: it knows no transfer, and the row is reserved/,
  )
  await rail.temporal.workflow.getHandle(payout_id).terminate('by hand')
  expect(await explained(payout_id)).toMatchObject({
    problem: 'its workflow is gone: a wake starts it again',
    required_by: 'operator',
    required_action: expect.stringContaining(`agent-rails recover act ${payout_id} wake`),
  })

  const large = { amount_usdc: '25' }
  for (let count = 0; count < 3; count++) {
    const other = await rail.authorized(await rail.openAgent(), large)
    await insertReservedTransfer(rail.db, other.payout_id)
  }
  const refused = await rail.authorized(await rail.openAgent(), large)
  expect((await explained(refused.payout_id))['problem']).toMatch(
    /^the daily cap is reached: [78]\d(\.\d+)? of 100/,
  )
})
