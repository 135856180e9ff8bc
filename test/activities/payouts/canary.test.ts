import { randomBytes } from 'node:crypto'
import { MockActivityEnvironment } from '@temporalio/testing'
import { pino } from 'pino'
import { afterAll, beforeAll, expect } from 'vitest'
import { refuse } from '#domain/core/errors.ts'
import type { Outcome } from '../../../activities/chain/outcome.ts'
import { receiptSigner } from '../../../activities/container.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { publishKeys } from '../../../activities/keys/publish-keys.ts'
import {
  assertCanaryConfirmed,
  beginCanary,
  todaysCanary,
} from '../../../activities/payouts/canary.ts'
import { setControl } from '../../../activities/payouts/controls.ts'
import type { Deps } from '../../../activities/payouts/deps.ts'
import { createPayoutSteps } from '../../../activities/payouts/payout.ts'
import { createSigningSteps, createTransferSteps } from '../../../activities/payouts/transfer.ts'
import { listPauses } from '../../../activities/store/operators/controls.ts'
import { readPayout } from '../../../activities/store/payouts/payouts.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { finalizedBlock } from '../../support/chain.ts'
import { dailyUse } from '../../support/payout-rows.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

/** Real Postgres and receipts under the real steps; only the chain is a fake. Each test has a payout wallet of its own. */
let database: TestDatabase
let proven: Outcome
const activity = new MockActivityEnvironment()
const keys = keyRings(generateSigningKeys(new Date()))
const signReceipt = receiptSigner(keys)
const hex = (bytes: number) => randomBytes(bytes).toString('hex')
const address = () => `0x${hex(20)}` as const

beforeAll(async () => {
  database = await startDatabase()
  await publishKeys(database.db, keys)
})
afterAll(async () => {
  await database?.stop()
})

function newDeps() {
  const rail = {
    asset: address(),
    payoutWallet: address(),
    environment: 'local',
    issuer: 'https://svc.example/api/trust-contract',
    createdLifeMs: 1000,
    executeLifeSecondsMin: 30,
    confirmWindowMs: 1,
    transferGas: 1n,
  } as const
  return {
    db: database.db,
    log: pino({ level: 'silent' }),
    rail,
    signReceipt,
    authority: undefined as never,
    minimumBalance: {
      isSet: false,
      read: async () => undefined,
      assertAbove: async () => undefined,
      headroom: async () => 0n,
    },
    canary: { recipient: address(), amountAtomic: 10_000n, lifeSeconds: 3600 },
    chain: { head: async () => 100n, news: async () => undefined },
    preflight: async () => ({ kind: 'ready' }) as const,
    findOutcome: async () => proven,
    startCallback: async () => undefined,
    gasWalletQueue: {
      submit: async () => ({ txHash: `0x${hex(32)}` as const }),
      maintain: async () => undefined,
    },
  } satisfies Deps
}

const included = (): Outcome => ({
  kind: 'included',
  transactionHash: `0x${hex(32)}`,
  blockNumber: 7n,
  blockHash: `0x${hex(32)}`,
  blockTime: BigInt(Math.floor(Date.now() / 1000)),
  confirmations: 1,
  finalized: false,
})

/** Begins today's canary and sends it; `confirm` looks once at what the chain proves. */
async function sent(deps: Deps & { canary: NonNullable<Deps['canary']> }) {
  const payoutId = (await beginCanary(deps)) as string
  await createSigningSteps(deps, {
    dailyCapAtomic: 1n,
    sign: async () => ({ signature: `0x${'ab'.repeat(65)}` }),
  }).signTransfer(payoutId)
  const steps = createTransferSteps(deps)
  await activity.run(steps.submitTransfer, payoutId)
  return {
    payoutId,
    confirm: (outcome: Outcome) => {
      proven = outcome
      return activity.run(steps.confirmTransfer, payoutId)
    },
  }
}

const passes = (deps: Deps) =>
  assertCanaryConfirmed(database.db, deps).then(
    () => true,
    (error: { refusal: { code: string } }) => error.refusal.code,
  )
const operator = () => ({ operatorId: 'o', name: 'night shift', idempotencyKey: hex(8) })

verifies(
  ['canary.first', 'canary.receipts'],
  'executes pass after today’s canary is confirmed; it exists once',
  async () => {
    const deps = newDeps()
    expect(await passes({ ...deps, canary: undefined })).toBe(true)
    expect(await passes(deps)).toBe('paused')
    const begun = await Promise.all(Array.from({ length: 8 }, () => beginCanary(deps)))
    const [payoutId] = begun.filter((id) => id !== undefined)
    expect(begun.filter((id) => id !== undefined)).toHaveLength(1)
    expect(await passes(deps)).toBe('paused')
    const record = await readPayout(database.db, payoutId as string)
    const { payoutWallet } = deps.rail
    const day = new Date().toISOString().slice(0, 10)
    expect(record?.payout).toMatchObject({
      creator: payoutWallet,
      mandate_ref: `canary:${day}`,
      usage: 'operational',
    })
    expect(record?.receipts.map(({ kind }) => kind)).toEqual([
      'payout_created',
      'payout_authorized',
    ])
    expect((await dailyUse(database.db, payoutWallet)).atomic).toBe(10_000n)
    expect(await beginCanary(deps)).toBeUndefined()
  },
)

verifies('canary.worker', 'only the run that loads today’s canary starts it, once', async () => {
  const deps = newDeps()
  const { payoutId } = await todaysCanary(database.db, deps.rail.payoutWallet)
  const load = (more: Partial<Deps> = {}, id = payoutId) =>
    createPayoutSteps({ ...deps, ...more }).loadPayout(id)
  expect(await load({ canary: undefined })).toBeNull()
  expect(await load({}, `payout-${hex(32)}`)).toBeNull()
  const assertAbove = async () =>
    Promise.reject(refuse('paused', { detail: 'the minimum', next_action: 'Fund it.' }))
  expect(await load({ minimumBalance: { ...deps.minimumBalance, assertAbove } })).toBeNull()
  const begun = await Promise.all([load(), load(), load()])
  for (const snapshot of begun) expect(snapshot).toMatchObject({ transfer: 'reserved' })
  expect((await dailyUse(database.db, deps.rail.payoutWallet)).atomic).toBe(10_000n)
})

verifies(
  'canary.first',
  'a confirmed canary lets executes pass until its block vanishes',
  async () => {
    const deps = newDeps()
    const { confirm } = await sent(deps)
    expect(await confirm(included())).toMatchObject({ state: 'executed', transfer: 'included' })
    expect(await passes(deps)).toBe(true)
    await confirm({ kind: 'unknown', code: 'unused', reason: 'the block is gone' })
    expect(await passes(deps)).toBe('paused')
  },
)

verifies('canary.fails', 'a dead, voided or conflicting canary pauses the rail once', async () => {
  const dead: Outcome = { kind: 'dead', reason: 'expired', finalizedBlock }
  const conflict: Outcome = {
    kind: 'conflict',
    detail: 'another transfer',
    transactionHash: `0x${hex(32)}`,
    finalized: true,
    finalizedBlock,
  }
  for (const [outcomes, exception] of [
    [[dead], 'canary_failed'],
    [[conflict, conflict], 'nonce_conflict'],
    [[included(), dead], 'voided: expired'],
  ] as const) {
    const deps = newDeps()
    const { payoutId, confirm } = await sent(deps)
    for (const outcome of outcomes) await confirm(outcome)
    expect((await readPayout(database.db, payoutId))?.transfer?.exception).toBe(exception)
    const [pause, ...others] = await listPauses(database.db)
    expect(others).toEqual([])
    expect(pause).toMatchObject({
      scope: 'payouts',
      operator_name: 'canary',
      reason: expect.stringContaining(payoutId),
    })
    expect((await todaysCanary(database.db, deps.rail.payoutWallet)).state).toBe('failed')
    await transaction(database.db, (tx) =>
      setControl({ ...deps.rail, signReceipt }, tx, operator(), {
        scope: 'payouts',
        paused: false,
        reason: 'seen',
      }),
    )
    expect(await passes(deps)).toBe(true)
  }
  const commands = await database.db
    .selectFrom('control_changes')
    .select(['operator_name', 'paused'])
    .orderBy('seq')
    .execute()
  expect(commands.map((act) => `${act.operator_name} ${act.paused}`)).toEqual(
    [1, 2, 3].flatMap(() => ['canary true', 'night shift false']),
  )
})

verifies(
  'canary.first',
  'a pause or the minimum balance refuses a canary without a trace',
  async () => {
    const deps = newDeps()
    const set = (paused: boolean) =>
      transaction(database.db, (tx) =>
        setControl({ ...deps.rail, signReceipt }, tx, operator(), {
          scope: 'service',
          paused,
          reason: 'audit',
        }),
      )
    await set(true)
    await expect(beginCanary(deps)).rejects.toMatchObject({
      refusal: { code: 'paused', detail: expect.stringContaining('audit') },
    })
    await set(false)
    const low = refuse('paused', { detail: 'the minimum', next_action: 'Fund it.' })
    const minimumBalance = { ...deps.minimumBalance, assertAbove: async () => Promise.reject(low) }
    await expect(beginCanary({ ...deps, minimumBalance })).rejects.toBe(low)
    const { payoutId } = await todaysCanary(database.db, deps.rail.payoutWallet)
    expect(await readPayout(database.db, payoutId)).toBeUndefined()
    expect(await beginCanary(deps)).toBe(payoutId)
  },
)
