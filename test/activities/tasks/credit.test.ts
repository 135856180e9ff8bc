import { createHash, randomBytes } from 'node:crypto'
import { MockActivityEnvironment } from '@temporalio/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { packetops as packets } from '#domain/rails/packetops/index.ts'
import type { Tier } from '#domain/rails/rail.ts'
import type { TaskState } from '#domain/tasks/lifecycle.ts'
import { createWallet } from '../../../activities/credit/allowance.ts'
import { refundReference } from '../../../activities/credit/credit.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { writeMoneyReceipt } from '../../../activities/credit/deps.ts'
import { claimQuote, issueQuote } from '../../../activities/credit/quotes.ts'
import { type DerivedTokens, secretSha256 } from '../../../activities/keys/derived-tokens.ts'
import { openPackageThreads } from '../../../activities/runs/package-threads.ts'
import { createRunSteps } from '../../../activities/runs/run.ts'
import { lockWalletOf } from '../../../activities/store/credit/allowance-wallets.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import type { ChallengeRow } from '../../../activities/store/payments/challenges.ts'
import type { ReferenceRow } from '../../../activities/store/payments/payment-references.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { findReceipt } from '../../../activities/store/receipts/receipts.ts'
import { findRun } from '../../../activities/store/runs/runs.ts'
import { listBehindMoney } from '../../../activities/store/tasks/task-credits.ts'
import { openTaskException } from '../../../activities/store/tasks/task-exceptions.ts'
import { findTask, listLedger, requireTask } from '../../../activities/store/tasks/tasks.ts'
import { claimCredit, requestCredit } from '../../../activities/tasks/credit.ts'
import { createTaskSteps } from '../../../activities/tasks/task.ts'
import { readPackage } from '../../../api/services/commerce/evidence.ts'
import { pilotSubject } from '../../../api/services/reviews/pilot.ts'
import { runView } from '../../../api/services/runs/views.ts'
import { provideInput } from '../../../api/services/tasks/input.ts'
import { deliveredPackage } from '../../../api/services/tasks/outcome.ts'
import { requestRecovery } from '../../../api/services/tasks/recovery.ts'
import type { StateLimits } from '../../../workflows/shared/timing.ts'
import { storeProductionWrite } from '../../support/paid-run.ts'
import { patiently } from '../../support/postgres.ts'
import { poolsOver, startRailPool } from '../../support/rail-pool.ts'
import { approved, reviewed, storeDecision } from '../../support/task-evidence.ts'
import { verifies } from '../../verifies.ts'
import { decide, hex, moneyOver, packetops, present, topUp } from '../credit/fixture.ts'
import { startTasks, stateLimits, trustedAgent } from './fixture.ts'

let tasks: Awaited<ReturnType<typeof startTasks>>
let money: MoneyDeps
beforeAll(async () => {
  tasks = await startTasks()
  money = await moneyOver(tasks.db)
})
const pool = startRailPool()
const packages = openPackageThreads()
afterAll(async () => {
  await packages.close()
  await pool.close()
  await tasks?.stop()
})

const operational = { usage: 'operational', callback_url: null } as const
const inTx = <T>(act: Parameters<typeof transaction<T>>[1]) => transaction(tasks.db, act)
const quoteOf = (tier: Tier = 'standard', units = 1) =>
  inTx(async (tx) => {
    const token = hex(32)
    const by = { tokenSha256: secretSha256(token) }
    const { quote_id } = await issueQuote(tasks.deps, tx, { by, rail: packetops, tier, units })
    return claimQuote(tx, quote_id, { owner: trustedAgent, token })
  })
const claim = (taskId: string, quoteId: string) =>
  inTx(async (tx) => claimCredit(tasks.deps, tx, { task: await requireTask(tx, taskId), quoteId }))
const request = (taskId: string, quoteId: string) =>
  inTx(async (tx) =>
    requestCredit(tasks.deps, tx, { task: await requireTask(tx, taskId), quoteId }),
  )
const advance = async (taskId: string, limits: StateLimits = stateLimits) => {
  const steps = createTaskSteps(tasks.deps, limits)
  const snapshot = await steps.advanceTask({ taskId, leftSlot: false })
  return snapshot?.state
}
const refusalOf = (made: Promise<unknown>) =>
  made.then(
    () => undefined,
    (error: unknown) => (error instanceof DomainError ? error.refusal.code : error),
  )
const eventsOf = async (taskId: string, from = 7) =>
  (await listLedger(tasks.db, taskId, { from })).map(({ event }) => event)
const required = (challenge: ChallengeRow | null) => {
  if (challenge === null) throw new Error('nothing is to be paid')
  return challenge
}
const pay = (challenge: ChallengeRow | null) =>
  present(money, { agentId: trustedAgent, challenge: required(challenge) })
const entitlementOf = async (taskId: string) => {
  const task = await findTask(tasks.db, taskId)
  return findEntitlement(tasks.db, task?.entitlement_id ?? '')
}
/** Each account with what its postings sum up to, read without the product's code; the whole sums to nothing. */
async function accounts(entitlementId: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ account: string; units: number }>`
    select account, sum(units)::int as units from postings where receipt_id in
      (select receipt_id from postings where account = ${`credit:${entitlementId}`}) group by account having sum(units) <> 0`.execute(
    tasks.db,
  )
  const all = await sql<{
    sum: string
  }>`select coalesce(sum(units), 0)::text as sum from postings`.execute(tasks.db)
  expect(all.rows[0]?.sum).toBe('0')
  return Object.fromEntries(
    rows.map(({ account, units }) => [account.replace(entitlementId, 'en'), units]),
  )
}

/** Runs the jobs a few at a time. */
async function inQueue<Item, T>(
  items: readonly Item[],
  act: (item: Item, index: number) => Promise<T>,
): Promise<T[]> {
  const done: T[] = []
  for (let from = 0; from < items.length; from += 10)
    done.push(
      ...(await Promise.all(
        items.slice(from, from + 10).map((item, index) => act(item, from + index)),
      )),
    )
  return done
}
const hundred = Array.from({ length: 100 }, (_, index) => index)

/** A task with a challenge for its money. */
async function pendingTask(limits: StateLimits = stateLimits) {
  const { task_id } = await tasks.taskIn('trusted', operational)
  const { quote_id } = await quoteOf()
  const { challenge, entitlement } = await request(task_id, quote_id)
  expect(await advance(task_id, limits)).toBe('credit_pending')
  return {
    taskId: task_id,
    quoteId: quote_id,
    challenge,
    entitlementId: entitlement.entitlement_id,
  }
}
async function fundedTask() {
  const one = await pendingTask()
  const reference = await decide(money, await pay(one.challenge))
  expect(await advance(one.taskId)).toBe('credit_funded')
  return { ...one, reference }
}
/** Has the task run to its attestation, with the reviews that it needs. */
async function work(taskId: string): Promise<void> {
  await inTx((tx) => provideInput(tx, taskId, packets.sandboxInput))
  if ((await findTask(tasks.db, taskId))?.review_decision === null)
    await approved(tasks.deps, taskId)
  expect(await advance(taskId)).toBe('operating')
  const runId = (await findTask(tasks.db, taskId))?.run_id ?? ''
  const steps = createRunSteps(tasks.deps, poolsOver(pool))
  for (let left = 20; left > 0; left -= 1) {
    const run = await steps.loadRun(runId)
    if (run === null || run.step === null || run.next === 'over') return
    if (run.next === 'review') await reviewed(tasks.deps, runId, 'approve')
    const input = {
      runId,
      attempt: run.attempt,
      round: run.round,
      step: run.step,
      limits: stateLimits,
    }
    await new MockActivityEnvironment().run(steps.takeStep, input)
  }
  throw new Error(`the run stands at ${(await findRun(tasks.db, runId))?.step}`)
}
const claimsOf = (jws: string) =>
  JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >
const receiptOf = async (receiptId: string | null | undefined) => {
  const row = await findReceipt(tasks.db, { receipt_id: receiptId ?? '' })
  return claimsOf(row?.jws ?? '')
}

verifies(
  'task.money.bound',
  'quote, challenge and payment take a task from trusted to closed',
  async () => {
    const { taskId, entitlementId, reference } = await fundedTask()
    await work(taskId)
    expect(await advance(taskId)).toBe('closed')
    expect(await eventsOf(taskId)).toEqual([
      'quote_issued',
      'credit_requested',
      'credit_funded',
      'enqueued',
      'started',
      'result_produced',
      'result_attested',
      'receipts_issued',
      'closed',
    ])
    expect(await entitlementOf(taskId)).toMatchObject({ state: 'consumed', consumed_units: 107 })
    expect(await accounts(entitlementId)).toEqual({
      'clearing:invoice_reference': -107,
      'revenue:packetops': 99,
      fees: 8,
    })
    const { rows } = await sql<{
      data: { usage_receipt_id: string; settlement_receipt_id: string }
    }>`
      select data from task_events where task_id = ${taskId} and event = 'receipts_issued'`.execute(
      tasks.db,
    )
    expect(rows[0]?.data.settlement_receipt_id).toBe(reference.settlement_receipt_id)
    const usage = await receiptOf(rows[0]?.data.usage_receipt_id)
    const run = await sql<{ return_package_id: string; proof_hash: string }>`
      select return_package_id, proof_hash from return_packages p join runs r on r.run_id = p.run_id where r.task_id = ${taskId}`.execute(
      tasks.db,
    )
    expect(usage).toMatchObject({
      kind: 'usage_receipt',
      usage: 'operational',
      task_id: taskId,
      consumed_units: 107,
      result_contract: {
        version: 'v2',
        settlement_receipt_id: reference.settlement_receipt_id,
        ...run.rows[0],
      },
    })
    expect(await listBehindMoney(tasks.db, { entitlementId })).toEqual([])
  },
)

verifies(
  'task.money.synthetic',
  'a synthetic run is paid by the sandbox, apart from real money',
  async () => {
    const { task_id } = await tasks.taskIn('trusted', { callback_url: null })
    const quote = await quoteOf()
    expect((await request(task_id, quote.quote_id)).challenge).toBeNull()
    expect(await advance(task_id)).toBe('credit_funded')
    await work(task_id)
    expect(await advance(task_id)).toBe('closed')
    const entitlement = await entitlementOf(task_id)
    expect(await accounts(entitlement?.entitlement_id ?? '')).toEqual({
      'clearing:sandbox': -107,
      'revenue:sandbox': 107,
    })
    expect(await receiptOf(entitlement?.settlement_receipt_id)).toMatchObject({
      usage: 'synthetic',
      amount_usd: 107,
    })
    const { rows } = await sql<{ jws: string }>`select jws from receipts r join usage_events u
      on u.usage_receipt_id = r.receipt_id where u.chain = ${entitlement?.entitlement_id}`.execute(
      tasks.db,
    )
    expect(claimsOf(rows[0]?.jws ?? '')).toMatchObject({
      kind: 'usage_receipt',
      usage: 'synthetic',
    })
    const other = await tasks.taskIn('trusted', operational)
    expect(await refusalOf(claim(other.task_id, quote.quote_id))).toBe('quote_mismatch')
    const priced = await pendingTask()
    const sandbox = await tasks.taskIn('trusted', { callback_url: null })
    expect(await refusalOf(claim(sandbox.task_id, priced.quoteId))).toBe('quote_mismatch')
    // The same in SQL: test money that ends in an account of money.
    const receipt = `rc_${createHash('sha256').update(randomBytes(8)).digest('hex')}`
    const credit = await tasks.taskIn('trusted', { callback_url: null })
    const { entitlement_id } = await claim(credit.task_id, (await quoteOf()).quote_id)
    const mixed = inTx(async (tx) => {
      await sql`insert into receipts (receipt_id, subject, seq, kind, jws, kid, payload_sha256)
        values (${receipt}, ${receipt}, 0, 'usage_receipt', 'x', 'k', 'x')`.execute(tx)
      await sql`update entitlements set consumed_units = 5 where entitlement_id = ${entitlement_id}`.execute(
        tx,
      )
      await sql`insert into postings (receipt_id, account, units)
        values (${receipt}, ${`credit:${entitlement_id}`}, -5), (${receipt}, 'revenue:packetops', 5)`.execute(
        tx,
      )
    })
    await expect(mixed).rejects.toThrow('mixes test money with money')
  },
)

verifies(
  'task.money.late',
  'a payment after the lapse funds its credit and resumes the task',
  async () => {
    const soon = { ...stateLimits, credit_pending: 1_000 }
    const one = await pendingTask(soon)
    const reference = await pay(one.challenge)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(await advance(one.taskId, soon)).toBe('exception_open')
    expect(await openTaskException(tasks.db, one.taskId)).toMatchObject({
      code: 'deadline_passed',
      resume_state: 'quoted',
      money_moved: 'unknown',
    })
    expect(await advance(one.taskId)).toBe('exception_open')
    await decide(money, reference)
    expect(await listBehindMoney(tasks.db, { entitlementId: one.entitlementId })).toEqual([
      one.taskId,
    ])
    expect(await advance(one.taskId)).toBe('credit_funded')
    expect(await eventsOf(one.taskId, 9)).toEqual([
      'credit_lapsed',
      'replay_prepared',
      'replayed',
      'credit_requested',
      'credit_funded',
    ])
    expect(await listBehindMoney(tasks.db, { entitlementId: one.entitlementId })).toEqual([])
  },
)

verifies(
  'task.money.late',
  'a lapsed quote leads to a new one; money of an abandoned task returns',
  async () => {
    const soon = { ...stateLimits, quoted: 1_000 }
    const { task_id } = await tasks.taskIn('trusted', operational)
    const first = await quoteOf()
    await claim(task_id, first.quote_id)
    expect(await advance(task_id, soon)).toBe('quoted')
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(await advance(task_id, soon)).toBe('exception_open')
    expect(await openTaskException(tasks.db, task_id)).toMatchObject({
      resume_state: 'trusted',
      money_moved: 'no',
    })

    const given = await pendingTask()
    const reference = await pay(given.challenge)
    await tasks.record(given.taskId, [
      'exception_raised',
      { code: 'operator_hold', detail: 'held' },
    ])
    await tasks.record(given.taskId, ['abandoned', {}])
    expect(await advance(given.taskId)).toBe('closed')
    await decide(money, reference)
    expect(await findEntitlement(tasks.db, given.entitlementId)).toMatchObject({
      state: 'returned',
      returned_units: 107,
    })
    expect(await accounts(given.entitlementId)).toEqual({})
  },
)

verifies('task.money.return', 'what a task did not use goes back once, when it fails', async () => {
  const { taskId, entitlementId } = await fundedTask()
  await tasks.record(taskId, ['exception_raised', { code: 'operator_hold', detail: 'held' }])
  await tasks.record(taskId, ['abandoned', {}])
  expect(await findEntitlement(tasks.db, entitlementId)).toMatchObject({ state: 'returned' })
  await Promise.all([advance(taskId), advance(taskId)])
  expect(await findEntitlement(tasks.db, entitlementId)).toMatchObject({
    state: 'returned',
    returned_units: 107,
  })
  expect(await accounts(entitlementId)).toEqual({})
})

verifies(
  'task.money.late',
  'a task is abandoned only when no payment can be under way',
  async () => {
    const { taskId, challenge } = await pendingTask()
    const reference = await pay(challenge)
    await tasks.record(taskId, ['exception_raised', { code: 'operator_hold', detail: 'held' }])
    const exceptionId = (await openTaskException(tasks.db, taskId))?.exception_id
    const asked = {
      taskId,
      exceptionId,
      action: 'abandon',
      input: undefined,
      note: '',
      decided: false,
    } as const
    const giveUpNow = () =>
      inTx((tx) =>
        requestRecovery(tasks.deps, tx, {
          ...asked,
          recoveryId: `rec_${hex(8)}`,
          actor: 'agent:a',
        }),
      )
    expect(await refusalOf(giveUpNow())).toBe('recovery_not_allowed')
    await decide(money, reference, false)
    expect(await giveUpNow()).toMatchObject({ state: 'done' })
    expect(await advance(taskId)).toBe('closed')
  },
)

/** What the holder of a task reads of its run, and what a proof of its agent reads of the package. */
async function shown(taskId: string) {
  const links = { baseUrl: 'http://127.0.0.1:3000', osUrl: 'http://127.0.0.1:3001' }
  const tokens = { statusToken: async () => 'tk' } as unknown as DerivedTokens
  const view = await inTx(async (tx) =>
    runView({ ...links, tokens }, tx, await requireTask(tx, taskId)),
  )
  const read = { db: tasks.db, packages }
  return { view, proven: await readPackage(read, view.return_package_id ?? '', trustedAgent) }
}

verifies(
  'task.money.delivered',
  'a result that is not charged is neither read nor free',
  async () => {
    const { taskId, entitlementId } = await fundedTask()
    await work(taskId)
    expect(await inTx((tx) => deliveredPackage(tx, taskId))).toBeUndefined()
    expect(await shown(taskId)).toMatchObject({
      view: { proof_hash: expect.any(String), completion_signature: null },
      proven: null,
    })
    await tasks.record(taskId, ['exception_raised', { code: 'caller_dispute', detail: 'no' }])
    const exceptionId = (await openTaskException(tasks.db, taskId))?.exception_id
    const asked = { taskId, exceptionId, input: undefined, note: '', decided: false } as const
    const by = { actor: `agent:${trustedAgent}`, recoveryId: `rec_${hex(8)}` }
    const abandon = await inTx((tx) =>
      requestRecovery(tasks.deps, tx, { ...asked, ...by, action: 'abandon' }),
    )
    expect(abandon).toMatchObject({ state: 'requested' })
    expect(await advance(taskId)).toBe('exception_open')
    expect(await entitlementOf(taskId)).toMatchObject({ state: 'funded', returned_units: 0 })
    const replay = { ...asked, ...by, recoveryId: `rec_${hex(8)}`, action: 'replay' } as const
    await inTx((tx) => requestRecovery(tasks.deps, tx, { ...replay, decided: true }))
    await advance(taskId)
    expect(await entitlementOf(taskId)).toMatchObject({ entitlement_id: entitlementId })
    const delivered = await inTx((tx) => deliveredPackage(tx, taskId))
    expect(delivered).toMatchObject({ partial: false })
    const { completion_signature } = delivered ?? {}
    expect(await shown(taskId)).toMatchObject({
      view: { completion_signature },
      proven: { recorded: { usage: 'operational', faults: [] } },
    })
  },
)

verifies('pilots.close', 'a pilot is open until the payment of its run is known', async () => {
  const { taskId, challenge } = await pendingTask()
  const reference = await pay(challenge)
  const pilot_id = `pl_${hex(32)}`
  await inTx(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`insert into pilots (pilot_id, source, rail, tier, total_usd, client, objective, status_token_sha256, state)
      values (${pilot_id}, 'intake', 'packetops', 'standard', 107, '{"name":"Ada"}', 'o', ${hex(32)}, 'running')`.execute(
      tx,
    )
    await sql`insert into pilot_runs (task_id, pilot_id, audit_event_id, asked_sha256, customer_account)
      values (${taskId}, ${pilot_id}, ${`aud_${hex(32)}`}, ${hex(32)}, 'northwind')`.execute(tx)
  })
  const terms = { subjectId: pilot_id, decision: 'reject', note: 'abandoned' } as const
  const operator = { operatorId: 'op_1', name: 'Ada' }
  const seen = { waitsSince: async () => undefined, evidenceSeen: async () => [] }
  const close = () =>
    inTx(async (tx) => {
      const decisionId = `dec_${hex(32)}`
      await storeDecision(tasks.deps, tx, { decisionId, subjectId: pilot_id, operatorId: 'op_1' })
      return pilotSubject(tasks.deps).decide(tx, { ...terms, decisionId, operator }, seen)
    })
  expect(await refusalOf(close())).toBe('payment_pending')
  expect((await requireTask(tasks.db, taskId)).state).toBe('credit_pending')
  await decide(money, reference, false)
  expect(await close()).toMatchObject({ state: 'closed' })
})

verifies(
  'task.money.return',
  'credit quoted for one task returns with what the task left',
  async () => {
    const { task_id } = await tasks.taskIn('trusted', operational)
    const quote = await inTx((tx) =>
      issueQuote(tasks.deps, tx, {
        by: { owner: trustedAgent },
        rail: packetops,
        tier: 'standard',
        units: 3,
        taskId: task_id,
      }),
    )
    const { challenge, entitlement } = await request(task_id, quote.quote_id)
    await decide(money, await pay(challenge))
    expect(await advance(task_id)).toBe('credit_funded')
    await work(task_id)
    expect(await advance(task_id)).toBe('closed')
    expect(await findEntitlement(tasks.db, entitlement.entitlement_id)).toMatchObject({
      state: 'returned',
      consumed_units: 107,
      returned_units: 214,
    })
    const other = await tasks.taskIn('trusted', operational)
    expect(await refusalOf(claim(other.task_id, quote.quote_id))).toBe('quote_mismatch')
  },
)

const refund = ({ payment_reference_id }: ReferenceRow) =>
  inTx((tx) =>
    refundReference(tasks.deps, tx, {
      referenceId: payment_reference_id,
      decidedBy: 'provider',
      reason: 'event 1',
    }),
  )
const stoppedBy = async (taskId: string) => (await openTaskException(tasks.db, taskId))?.code

verifies(
  'task.money.reversed',
  'a reversed payment stops its task before and after the work',
  async () => {
    const before = await fundedTask()
    await refund(before.reference)
    expect(await listBehindMoney(tasks.db, { entitlementId: before.entitlementId })).toEqual([
      before.taskId,
    ])
    expect(await advance(before.taskId)).toBe('exception_open')
    expect(await stoppedBy(before.taskId)).toBe('payment_reversed')

    const during = await fundedTask()
    await work(during.taskId)
    await refund(during.reference)
    expect(await advance(during.taskId)).toBe('exception_open')
    expect(await eventsOf(during.taskId, 14)).toEqual(['exception_raised'])
    expect(await accounts(during.entitlementId)).toEqual({})
  },
)

verifies(
  'task.money.claim',
  'a quote for something else is refused; a paid task keeps its quote',
  async () => {
    const { task_id } = await tasks.taskIn('trusted', operational)
    const [entry, first, second] = await Promise.all([quoteOf('entry'), quoteOf(), quoteOf()])
    expect(await refusalOf(claim(task_id, entry.quote_id))).toBe('quote_mismatch')
    await request(task_id, first.quote_id)
    const { challenge } = await request(task_id, second.quote_id)
    await claim(task_id, second.quote_id)
    await pay(challenge)
    expect(await refusalOf(claim(task_id, first.quote_id))).toBe('payment_pending')
    const busy = await tasks.taskIn('operating', operational)
    expect(await refusalOf(claim(busy.task_id, entry.quote_id))).toBe('wrong_state')
    const other = await tasks.taskIn('trusted', operational)
    expect(await refusalOf(claim(other.task_id, second.quote_id))).toBe('quote_mismatch')
  },
)

verifies(
  'task.money.never-twice',
  'of 100 parallel runs on credit for 40 exactly 40 are paid for',
  async () => {
    const units = 40
    const waiting = await inQueue(
      hundred,
      async () => (await tasks.taskIn('trusted', operational)).task_id,
    )
    const { quote_id } = await quoteOf('standard', units)
    const { challenge, entitlement } = await request(waiting[0] ?? '', quote_id)
    await decide(money, await pay(challenge))
    const answers = await Promise.all(
      waiting.map((taskId) => refusalOf(patiently(() => claim(taskId, quote_id)))),
    )
    expect(new Set(answers)).toEqual(new Set([undefined, 'credit_exhausted']))
    const paid = waiting.filter((_, index) => answers[index] === undefined)
    expect(paid).toHaveLength(units)
    const { entitlement_id } = entitlement
    const states = await Promise.all(waiting.map((taskId) => patiently(() => advance(taskId))))
    expect(states.filter((state) => state === 'credit_funded')).toHaveLength(units)
    // Half of the runs end well, the other half is given up; everything is done twice at once.
    await inQueue(paid, (taskId, index) => (index % 2 === 0 ? attest(taskId) : giveUp(taskId)))
    const ended = await Promise.all(
      [...paid, ...paid].map((taskId) => patiently(() => advance(taskId))),
    )
    expect(new Set(ended)).toEqual(new Set<TaskState>(['closed']))
    expect(await accounts(entitlement_id)).toEqual({
      'clearing:invoice_reference': -20 * 107,
      'revenue:packetops': 20 * 99,
      fees: 20 * 8,
    })
    expect(await findEntitlement(tasks.db, entitlement_id)).toMatchObject({
      state: 'returned',
      consumed_units: 20 * 107,
      returned_units: 20 * 107,
    })
    const low = await sql`select 1 from account_balances where units < 0`.execute(tasks.db)
    expect(low.rows).toEqual([])
  },
)

verifies(
  'task.money.never-twice',
  'of 100 parallel runs on a wallet for 37 exactly 37 are funded',
  async () => {
    const wallet = await inTx((tx) => createWallet(tx, { agentId: trustedAgent, label: 'runs' }))
    const paid = await topUp(money, trustedAgent, wallet.wallet_id, 37 * 107)
    const asked = await inQueue(hundred, () => pendingTask())
    const method = {
      method: 'agent_allowance',
      externalReference: '',
      payer: wallet.wallet_id,
    } as const
    const answers = await Promise.all(
      asked.map(({ challenge }) => {
        const payment = { agentId: trustedAgent, challenge: required(challenge) }
        return refusalOf(patiently(() => present(money, payment, method)))
      }),
    )
    expect(new Set(answers)).toEqual(new Set([undefined, 'wallet_underfunded']))
    expect(answers.filter((code) => code === undefined)).toHaveLength(37)
    const states = await Promise.all(asked.map(({ taskId }) => patiently(() => advance(taskId))))
    expect(states.map((state) => state === 'credit_funded')).toEqual(
      answers.map((code) => code === undefined),
    )
    const { rows } = await sql<{ held: number; credit: number }>`
      select coalesce(sum(units) filter (where account like 'wallet:%'), 0)::int as held,
        coalesce(sum(units) filter (where account like 'credit:%'), 0)::int as credit
      from postings where receipt_id in (select receipt_id from postings where account = ${`wallet:${wallet.wallet_id}`})`.execute(
      tasks.db,
    )
    expect(rows).toEqual([{ held: 0, credit: 37 * 107 }])
    // What the wallet has spent of a payment that is taken back stops its runs.
    const referenceId = paid.payment_reference_id
    const taken = { referenceId, decidedBy: 'operator:op_1', reason: 'charged back' }
    await inTx((tx) => refundReference(money, tx, taken))
    const { taskId: running = '' } = asked[states.indexOf('credit_funded')] ?? {}
    const entitlementId = (await entitlementOf(running))?.entitlement_id ?? ''
    const behind = await listBehindMoney(tasks.db, { entitlementId })
    expect([behind, await advance(running)]).toEqual([[running], 'exception_open'])
    expect(await stoppedBy(running)).toBe('payment_reversed')
    await topUp(money, trustedAgent, wallet.wallet_id, 37 * 107)
  },
)

const hash = 'a'.repeat(64)
async function attest(taskId: string): Promise<void> {
  await inTx((tx) => provideInput(tx, taskId, packets.sandboxInput))
  await approved(tasks.deps, taskId)
  expect(await advance(taskId)).toBe('operating')
  await tasks.record(taskId, [
    'result_produced',
    { return_package_id: `rp_${hash}`, result_sha256: hash },
  ])
  await tasks.record(taskId, ['result_attested', { receipt_id: `rc_${hash}`, proof_hash: hash }])
}
/** The wallet of the agent, with this much more in it. */
async function walletWith(usd: number): Promise<string> {
  const made = inTx((tx) => createWallet(tx, { agentId: trustedAgent, label: '' }))
  await made.catch(() => undefined)
  const { wallet_id } = (await inTx((tx) => lockWalletOf(tx, trustedAgent))) ?? { wallet_id: '' }
  await topUp(money, trustedAgent, wallet_id, usd)
  return wallet_id
}

async function giveUp(taskId: string): Promise<void> {
  await tasks.record(taskId, ['exception_raised', { code: 'operator_hold', detail: 'held' }])
  await tasks.record(taskId, ['abandoned', {}])
}

verifies(
  ['fees.runs', 'fees.refunded'],
  'a closing run posts fees of its receipts and developer',
  async () => {
    await walletWith(100)
    let last: Awaited<ReturnType<typeof fundedTask>> | undefined
    const statesOf = async () => {
      const { rows } = await sql<{ state: string }>`
      select state from fee_events where subject = ${last?.taskId}`.execute(tasks.db)
      return rows.map(({ state }) => state)
    }
    const takeBack = () => {
      const referenceId = last?.reference.payment_reference_id ?? ''
      const taken = { referenceId, decidedBy: 'operator:op_1', reason: 'charged back' }
      return inTx((tx) => refundReference(money, tx, taken))
    }
    const closed = async (receipt_usd: number, developer_usd: number, customerAccount = 'acme') => {
      const fees = { ...tasks.deps.fees, receipt_usd, developer_usd }
      const steps = createTaskSteps({ ...tasks.deps, fees })
      const one = await fundedTask()
      const { taskId } = one
      last = one
      await work(taskId)
      await inTx(async (tx) => {
        const subject = (await findTask(tx, taskId))?.contract_id ?? ''
        await writeMoneyReceipt(tasks.deps, tx, { subject, kind: 'intake', facts: {} })
        await storeProductionWrite(tx, { taskId, agentId: trustedAgent, customerAccount })
      })
      const close = () => steps.advanceTask({ taskId, leftSlot: false })
      const ends = await Promise.all([close(), close()])
      expect(ends.map((end) => end?.state)).toEqual(['closed', 'closed'])
      const { rows } = await sql<{ item: string; amount_usd: number; state: string }>`
      select item, amount_usd, state from fee_events where subject = ${taskId} order by item`.execute(
        tasks.db,
      )
      return rows
    }
    const [developer, receipts] = await closed(2, 5)
    expect(developer).toEqual({ item: 'developer_fee', amount_usd: 5, state: 'accrued' })
    expect(receipts).toMatchObject({ item: 'receipt_fee', state: 'accrued' })
    // Its attestations, and those of its contract, its payment and its use.
    const { rows: attested } =
      await sql`select from receipts r join tasks t on r.subject in (t.task_id, t.run_id)
    where t.task_id = ${last?.taskId} and r.kind = 'attestation'`.execute(tasks.db)
    expect(attested.length).toBeGreaterThan(0)
    expect(receipts?.amount_usd).toBe(2 * (attested.length + 3))
    // What is posted stays when the payment is taken back, and what is due ends.
    await takeBack()
    expect(await statesOf()).toEqual(['accrued', 'accrued'])
    // What the wallet does not cover is owed, and the run closes.
    const owed = await closed(100_000, 100_000)
    expect(owed.map(({ state }) => state)).toEqual(['due', 'due'])
    await takeBack()
    expect(await statesOf()).toEqual(['released', 'released'])
    expect(await closed(0, 0)).toEqual([])
    // A run for the agent itself has no customer.
    expect(await closed(0, 5, trustedAgent)).toEqual([])
  },
)

/** Stops a task and abandons it, as its agent does; the transitions that follow are not made. */
const abandonNow = async (taskId: string) => {
  const exceptionId = (await openTaskException(tasks.db, taskId))?.exception_id
  const note = 'the agent cancels the run'
  const asked = { taskId, exceptionId, action: 'abandon', input: undefined, note } as const
  const by = { decided: false, recoveryId: `rec_${hex(8)}`, actor: `agent:${trustedAgent}` }
  return inTx((tx) => requestRecovery(tasks.deps, tx, { ...asked, ...by }))
}
const held = ['exception_raised', { code: 'caller_dispute', detail: 'cancelled' }] as const

verifies('task.money.ended', 'nothing is taken for a run that has failed', async () => {
  const wallet = await walletWith(500)
  const one = await pendingTask()
  const payFrom = (of: typeof one) =>
    present(
      money,
      { agentId: trustedAgent, challenge: required(of.challenge) },
      { method: 'agent_allowance', externalReference: wallet, payer: wallet },
    )
  await tasks.record(one.taskId, [...held])
  await abandonNow(one.taskId)
  expect((await findTask(tasks.db, one.taskId))?.state).toBe('failed')
  expect(await refusalOf(payFrom(one))).toBe('challenge_expired')
  // The same in SQL, by the states of the tasks.
  const taken =
    sql`insert into payment_references (payment_reference_id, agent_id, method, external_reference, amount_usd,
      challenge_id, entitlement_id, payer, state)
    values (${`pr_${hex(32)}`}, ${trustedAgent}, 'agent_allowance', ${hex(8)}, 107, ${one.challenge?.challenge_id},
      ${one.entitlementId}, ${wallet}, 'presented')`.execute(tasks.db)
  await expect(taken).rejects.toThrow('has ended')
  // The customer may have paid elsewhere before: that is recorded, and comes back.
  await decide(money, await pay(one.challenge))
  expect(await entitlementOf(one.taskId)).toMatchObject({ state: 'returned', consumed_units: 0 })
})

/** The units in a wallet, by the postings. */
const heldBy = async (walletId: string) => {
  const account = `wallet:${walletId}`
  const { rows } = await sql<{
    units: number
  }>`select sum(units)::int as units from postings where account = ${account}`.execute(tasks.db)
  return rows[0]?.units
}

verifies('task.money.ended', 'a payment and the end of its run exclude one another', async () => {
  const wallet = await walletWith(500)
  const before = await heldBy(wallet)
  for (let round = 0; round < 8; round += 1) {
    const one = await pendingTask()
    const challenge = required(one.challenge)
    await tasks.record(one.taskId, [...held])
    const by = { method: 'agent_allowance', externalReference: wallet, payer: wallet } as const
    const both = await Promise.all([
      refusalOf(abandonNow(one.taskId)),
      refusalOf(present(money, { agentId: trustedAgent, challenge }, by)),
    ])
    const paid = both[1] === undefined
    // A run that was paid first may still be abandoned: then its credit is given back.
    expect(both).toEqual([undefined, paid ? undefined : 'challenge_expired'])
    expect(await heldBy(wallet)).toBe(before)
    expect(await entitlementOf(one.taskId)).toMatchObject({ state: paid ? 'returned' : 'pending' })
  }
})
