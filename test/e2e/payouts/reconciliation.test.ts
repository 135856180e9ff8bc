import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { compactVerify, createLocalJWKSet } from 'jose'
import { pino } from 'pino'
import type { Address } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import { createChain } from '../../../activities/chain/client.ts'
import { watchGas } from '../../../activities/chain/funds.ts'
import { createGasWalletQueue } from '../../../activities/chain/gas-wallet-queue.ts'
import { createClient } from '../../../api/http/client.ts'
import { RECONCILIATION_SCHEDULE } from '../../../temporal/reconciliation.ts'
import { dollarTokenAbi } from '../../../worker/stack/token.ts'
import { eventually, openRail, type Rail } from '../../support/agent.ts'
import { newWallet } from '../../support/chain.ts'
import { runCli } from '../../support/cli.ts'
import { insist } from '../../support/faults.ts'
import { sendTokens } from '../../support/payments.ts'
import { within } from '../../support/slowness.ts'
import { startStack, type TestStack, unscheduled } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
/** Longer than these tests take, which count what happens on one UTC day. */
const TESTS_MS = 240_000
const DAY_MS = 86_400_000
beforeAll(async () => {
  const leftOfDay = DAY_MS - (Date.now() % DAY_MS)
  if (leftOfDay < TESTS_MS) await setTimeout(leftOfDay)
  // A sweeper that comes round every ten minutes leaves to the eye what it would mend at once.
  stack = await startStack({
    runWorkers: 0,
    workers: 2,
    env: {
      // Longer than a step that is in flight takes here.
      RECONCILE_SETTLE_MS: String(within(2_500)),
      SWEEP_EVERY_MS: '600000',
      CHAIN_POLL_MS: '100',
      EXECUTE_WAIT_MS: '3000',
    },
  })
  rail = await openRail(stack)
}, TESTS_MS + 120_000)
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const cli = (...args: string[]) => runCli(stack.env, ...args)

const origin = () => stack.baseUrls[0] as string
const operator = () =>
  createClient({
    baseUrl: origin(),
    origin: origin(),
    operator: stack.accounts.operator.credential,
  })

/** What the sweeper would have done by now for the gas wallets. */
async function settleGasWallet(): Promise<void> {
  const [view] = createChain({
    rpcUrls: [stack.rpcUrl],
    confirmRpcUrls: [],
    timeoutMs: 2_000,
  }).views
  const accounts = rail.service.gasWallets.map(({ private_key }) =>
    privateKeyToAccount(private_key),
  )
  const gas = watchGas(
    view.reader,
    accounts.map(({ address }) => address),
    1_000,
  )
  const log = pino({ level: 'silent' })
  await createGasWalletQueue({
    db: rail.db,
    view,
    gas,
    accounts,
    log,
    feeBumpAfterMs: 30_000,
    jamAfterMs: 90_000,
  }).maintain()
}

/** Has the schedule start a reconciliation now, and waits for its end. */
async function reconcileBySchedule() {
  await settleGasWallet()
  const handle = rail.temporal.schedule.getHandle(RECONCILIATION_SCHEDULE)
  const before = (await handle.describe()).info.recentActions.length
  await handle.trigger()
  const { info } = await eventually(
    () => handle.describe(),
    (seen) => seen.info.recentActions.length > before,
  )
  const started = info.recentActions.at(-1)?.action
  return rail.temporal.workflow.getHandle(started?.workflow.workflowId as string).result()
}

async function schedules(): Promise<string[]> {
  const ids: string[] = []
  for await (const { scheduleId } of rail.temporal.schedule.list()) ids.push(scheduleId)
  return ids
}

const exceptions = () =>
  rail.db
    .selectFrom('exceptions')
    .select(['exception_id', 'code', 'subject', 'evidence', 'state', 'seen'])
    .orderBy('code')
    .execute()

async function executed(amount_usdc = '1') {
  const agent = await rail.openAgent()
  const payout = await rail.authorized(agent, { amount_usdc })
  const { body } = await insist(() =>
    agent.client.call('payout-execute', {
      payout_id: payout.payout_id,
      idempotency_key: 'execute',
    }),
  )
  await eventually(
    () =>
      rail.db
        .selectFrom('transfers')
        .select('status')
        .where('payout_id', '=', payout.payout_id)
        .executeTakeFirst(),
    (row) => row?.status === 'final',
  )
  return body.payout
}

verifies(
  'reconcile.schedule',
  'two workers make one schedule that survives a restart',
  async () => {
    // The list is read from visibility, which shows a new schedule a little later.
    await expect.poll(schedules).toEqual([RECONCILIATION_SCHEDULE])
    await stack.worker(1).kill('SIGKILL')
    await stack.worker(1).start()
    await stack.worker(1).waitReady()
    const { spec, policies, action } = await rail.temporal.schedule
      .getHandle(RECONCILIATION_SCHEDULE)
      .describe()
    expect(spec.intervals).toMatchObject([{ every: Number(unscheduled.RECONCILE_EVERY_MS) }])
    expect(policies.overlap).toBe('SKIP')
    expect(action).toMatchObject({ workflowType: 'reconcile', args: [{ scope: 'changed' }] })
  },
)

verifies('reconcile.agreement', 'healthy traffic, free and paid, opens no exception', async () => {
  await Promise.all([
    executed(),
    executed('2.5'),
    rail.openAgent().then((agent) => rail.authorized(agent)),
  ])
  const payer = await rail.openAgent({ tokens: 1_000_000n })
  await rail.useUpFreeCalls(payer.address)
  await insist(() => payer.client.call('payout-create', rail.terms()))
  const summary = await reconcileBySchedule()
  expect(await exceptions()).toEqual([])
  expect(summary).toMatchObject({ scope: 'all', differences: 0, opened: 0 })
  expect(await reconcileBySchedule()).toMatchObject({ scope: 'changed', differences: 0 })
  expect(await cli('recover', 'reconcile')).toMatchObject({
    code: 0,
    text: expect.stringContaining('rows and chain agree'),
  })
})

verifies(
  ['reconcile.exceptions', 'reconcile.never-repairs', 'reconcile.attention', 'reconcile.pause'],
  'each disagreement is reported with both sides and nothing is repaired',
  async () => {
    const [flipped, bare] = [await executed(), await executed()]
    const wrong = `0x${randomBytes(32).toString('hex')}`
    await rail.db
      .updateTable('transfers')
      .set({ transaction_hash: wrong })
      .where('payout_id', '=', flipped.payout_id)
      .execute()
    const queued = () => rail.db.selectFrom('log_outbox').select('receipt_id').execute()
    await expect.poll(queued).toEqual([])
    await rail.db
      .deleteFrom('receipts')
      .where('subject', '=', bare.payout_id)
      .where('kind', '=', 'payout_final')
      .execute()
    const stolen = await steal(700_000n)
    const orphan = await openTransferWithoutWorkflow()
    await settleGasWallet()

    expect(await cli('recover', 'reconcile')).toMatchObject({
      code: 1,
      text: expect.stringContaining(flipped.payout_id),
    })
    const found = await exceptions()
    expect(found.map(({ code, subject }) => [code, subject])).toEqual([
      ['receipt_contradicts_row', flipped.payout_id],
      ['receipt_missing', bare.payout_id],
      ['transfer_not_on_chain', flipped.payout_id],
      ['transfer_without_workflow', orphan],
      ['unexplained_outgoing', stolen.subject],
    ])
    const evidence = Object.fromEntries(found.map((row) => [row.code, row.evidence]))
    expect(evidence['transfer_not_on_chain']).toMatchObject({
      stored: { transactionHash: wrong },
      found: { transfers: [{ transactionHash: flipped.transfer.transaction_hash }] },
    })
    expect(evidence['unexplained_outgoing']).toMatchObject({
      found: { amountAtomic: '700000', to: stolen.to, blockNumber: stolen.block },
    })
    expect(evidence['transfer_without_workflow']).toMatchObject({ found: { status: 'TERMINATED' } })

    const after = await rail.db
      .selectFrom('transfers')
      .selectAll()
      .where('payout_id', '=', flipped.payout_id)
      .executeTakeFirstOrThrow()
    expect(after.transaction_hash).toBe(wrong)
    expect((await rail.temporal.workflow.getHandle(orphan).describe()).status.name).toBe(
      'TERMINATED',
    )
    const { typedSearchAttributes } = await eventually(
      () => rail.temporal.workflow.getHandle(flipped.payout_id).describe(),
      (seen) => JSON.stringify(seen.typedSearchAttributes).includes('transfer_not_on_chain'),
      5_000,
    )
    const shown = JSON.stringify(typedSearchAttributes)
    expect(shown).toContain('transfer_not_on_chain')
    // The run was closed before and closed again: the exception is what needs attention, not the run.
    expect(shown).not.toMatch(/"NeedsAttention","type":"BOOL"},"value":true/)
    expect(await reconcileBySchedule()).toMatchObject({ opened: 0, differences: 5 })
    await expectPausedOnce(stolen.subject)
    expect(await exceptions()).toHaveLength(5)
    const stuck = (await cli('recover', 'list', '--stuck')).text
    for (const id of [flipped.payout_id, bare.payout_id, orphan]) expect(stuck).toContain(`! ${id}`)

    const original = { transaction_hash: flipped.transfer.transaction_hash }
    await rail.db
      .updateTable('transfers')
      .set(original)
      .where('payout_id', '=', flipped.payout_id)
      .execute()
    expect(await reconcileBySchedule()).toMatchObject({ opened: 0, differences: 3 })
    const mended = (await exceptions()).filter(({ subject }) => subject === flipped.payout_id)
    expect(mended).toMatchObject([
      { state: 'open', seen: false },
      { state: 'open', seen: false },
    ])
  },
)

verifies(
  ['reconcile.pause'],
  'the pause after an unexplained transfer is lifted by an operator',
  async () => {
    const agent = await rail.openAgent()
    const { payout_id } = await rail.authorized(agent)
    const execute = { payout_id, idempotency_key: 'execute' }
    await expect(agent.client.call('payout-execute', execute)).rejects.toMatchObject({
      code: 'paused',
    })
    const by = ['--operator', stack.accounts.operator.credential, '--reason', 'the key is replaced']
    expect(await cli('resume', 'payouts', ...by)).toMatchObject({ code: 0 })
    expect(await reconcileBySchedule()).toMatchObject({ opened: 0 })
    expect(await pausesSet()).toHaveLength(1)
    // It is not executed, because a later test counts the transfers of this day.
    expect((await cli('pauses')).text).toContain('nothing is paused')
  },
)

const pausesSet = () =>
  rail.db
    .selectFrom('control_changes')
    .innerJoin('receipts', 'receipts.receipt_id', 'control_changes.receipt_id')
    .select(['scope', 'paused', 'reason', 'operator_name', 'receipts.kind'])
    .where('operator_id', '=', 'reconciliation')
    .execute()

async function expectPausedOnce(subject: string): Promise<void> {
  expect(await pausesSet()).toEqual([
    {
      scope: 'payouts',
      paused: true,
      reason: expect.stringContaining(subject),
      operator_name: 'reconciliation',
      kind: 'control_change',
    },
  ])
}

/** The payout wallet's own key sends money past the service. */
async function steal(value: bigint) {
  const { payoutWallet } = rail.service
  const to = newWallet().address
  const thief = privateKeyToAccount(payoutWallet.private_key)
  const { blockNumber, logs, transactionHash: hash } = await sendTokens(rail, thief, to, value)
  await eventually(
    () => rail.chain.getBlock({ blockTag: 'finalized' }),
    ({ number }) => number >= blockNumber,
  )
  return { to, subject: `${hash}:${logs[0]?.logIndex}`, block: blockNumber.toString() }
}

/** A transfer that waits for its token to be unpaused, while an operator terminates its workflow. */
async function openTransferWithoutWorkflow(): Promise<string> {
  const agent = await rail.openAgent()
  const { payout_id } = await rail.authorized(agent)
  const owner = { address: rail.asset as Address, abi: dollarTokenAbi } as const
  await rail.chain.waitForTransactionReceipt({
    hash: await rail.chain.writeContract({ ...owner, functionName: 'pause' }),
  })
  await agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })
  await rail.temporal.workflow.getHandle(payout_id).terminate('planted')
  await rail.chain.waitForTransactionReceipt({
    hash: await rail.chain.writeContract({ ...owner, functionName: 'unpause' }),
  })
  return payout_id
}

verifies(
  ['reconcile.close', 'reconcile.read'],
  'an operator closes an exception with a reason and a signed receipt',
  async () => {
    const { body } = await operator().call('reconciliation', {})
    expect(body.last_run).toMatchObject({ scope: 'changed', differences: 3 })
    expect(body.exceptions.map(({ seen }) => seen).filter(Boolean)).toHaveLength(3)
    const [one, other] = body.exceptions.filter(({ seen }) => !seen)
    const act = {
      mode: 'close_exception',
      exception_id: one?.exception_id as string,
      reason: 'the hash was put back',
      idempotency_key: 'c-1',
    } as const
    const { body: closed } = await operator().call('close-exception', act)
    expect(closed).toMatchObject({
      exception: { state: 'closed', reason: act.reason },
      receipt: { kind: 'exception_closed' },
    })
    expect(closed.receipt.payload).toMatchObject({
      code: one?.code,
      reason: act.reason,
      still_seen: false,
    })
    const { payload } = await compactVerify(closed.receipt.jws, await publishedKeys())
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(closed.receipt.payload)
    expect((await operator().call('close-exception', act)).body).toEqual(closed)
    await expect(
      operator().call('close-exception', { ...act, idempotency_key: 'c-2', reason: 'again' }),
    ).rejects.toMatchObject({ code: 'wrong_state' })

    const nameless = await cli(
      'recover',
      'close',
      other?.exception_id as string,
      '--reason',
      'x',
      '--operator',
      'unknown',
    )
    expect(nameless).toMatchObject({
      code: 1,
      text: expect.stringContaining('no operator has the name unknown'),
    })
    const credential = stack.accounts.operator.credential
    expect(
      await cli(
        'recover',
        'close',
        other?.exception_id as string,
        '--reason',
        'mended',
        '--operator',
        credential,
      ),
    ).toMatchObject({ code: 0 })
    expect((await cli('recover', 'exceptions')).text).not.toContain(other?.exception_id)
    expect((await fetch(`${origin()}/api/operator/reconciliation`)).status).toBe(401)
  },
)

verifies(
  ['statement.signed', 'reconcile.read'],
  'the statement of the last day verifies with the published keys alone',
  async () => {
    expect((await operator().call('reconciliation', {})).body).toMatchObject({
      day: null,
      statement: null,
      jws: null,
    })
    expect(await cli('statement')).toMatchObject({
      code: 0,
      text: expect.stringContaining('no statement yet'),
    })
    await endTheDay()
    const held = await rail.balance(rail.service.payoutWallet.address)
    await reconcileBySchedule()
    const { body } = await operator().call('reconciliation', {})
    const { payload, protectedHeader } = await compactVerify(
      body.jws as string,
      await publishedKeys(),
    )
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', typ: 'statement+jwt' })
    const claims = JSON.parse(new TextDecoder().decode(payload))
    expect(claims).toEqual(body.statement)
    expect(claims).toMatchObject({
      day: body.day,
      prev: null,
      payout_wallet: { closing_atomic: held.toString() },
      transfers: { count: 4 },
      fees: { count: 1, sum_atomic: '100000' },
      // The transfer without a workflow has expired by then, which its row does not know.
      differences: { opened: { unexplained_outgoing: 1, transfer_unrecorded: 1 }, open_count: 4 },
    })
    const verified = await cli('statement', body.day as string, '--json')
    expect(verified).toMatchObject({
      code: 0,
      text: expect.stringContaining('verified: signature, key'),
    })
    expect(JSON.parse(verified.out)).toEqual(claims)
    await expect(operator().call('reconciliation', { day: '2020-01-01' })).rejects.toMatchObject({
      code: 'not_found',
    })
  },
)

const publishedKeys = async () =>
  createLocalJWKSet((await (await fetch(`${origin()}/.well-known/jwks.json`)).json()) as never)

/** The chain's clock passes midnight and the end of each transfer's time, and that block becomes final. */
async function endTheDay(): Promise<void> {
  const { timestamp } = await rail.chain.getBlock()
  const midnight = (timestamp / 86_400n + 1n) * 86_400n
  const { expired } = await rail.db
    .selectFrom('transfers')
    .select(({ fn }) => fn.max('valid_before').as('expired'))
    .executeTakeFirstOrThrow()
  const end = [midnight, BigInt(expired)].reduce((one, other) => (one > other ? one : other))
  await rail.chain.setNextBlockTimestamp({ timestamp: end + 1n })
  await eventually(
    () => rail.chain.getBlock({ blockTag: 'finalized' }),
    (block) => block.timestamp > end,
  )
}
