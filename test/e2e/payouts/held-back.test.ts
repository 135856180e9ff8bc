import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { examine } from '../../../worker/doctor/examine.ts'
import { mintTokens } from '../../../worker/stack/token.ts'
import type { Payout } from '../../../worker/stack/treasury.ts'
import { type Agent, eventually, openRail, post, type Rail } from '../../support/agent.ts'
import { newWallet } from '../../support/chain.ts'
import {
  asTokenOwner,
  chainRecord,
  claimsOf,
  expectExecutedOnce,
  insist,
  refusalOf,
} from '../../support/faults.ts'
import { sendTokens } from '../../support/payments.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

const FLOOR = 3_000_000n
const canaryRecipient = newWallet().address.toLowerCase()
const quick = { CONFIRM_WINDOW_MS: '500', CHAIN_POLL_MS: '100', EXECUTE_WAIT_MS: '2000' }

const execute = (agent: Agent, { payout_id }: Payout) =>
  agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })
const transfersOf = ({ db }: Rail) =>
  db.selectFrom('transfers').select(['payout_id', 'status']).execute()
const canaryOf = ({ db }: Rail) =>
  db
    .selectFrom('payouts')
    .selectAll()
    .where('recipient', '=', canaryRecipient)
    .executeTakeFirstOrThrow()

describe('a canary that is confirmed', () => {
  let stack: TestStack
  let rail: Rail
  beforeAll(async () => {
    stack = await startStack({
      runWorkers: 0,
      apis: 2,
      env: { ...quick, CANARY_RECIPIENT: canaryRecipient },
    })
    rail = await openRail(stack)
  })
  afterAll(async () => {
    await rail?.stop()
    await stack?.stop()
  })

  verifies(
    ['canary.first', 'canary.receipts', 'canary.worker'],
    'the first executes of a day wait for one small transfer',
    async () => {
      const agents = await Promise.all(
        Array.from({ length: 8 }, (_, api) => rail.openAgent({ api: api % 2 })),
      )
      const payouts = await Promise.all(agents.map((agent) => rail.authorized(agent)))
      const outcomes = await Promise.allSettled(
        agents.map((agent, index) => execute(agent, payouts[index] as Payout)),
      )
      const refusals = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [outcome.reason.problem] : [],
      )
      expect(refusals.length).toBeGreaterThan(0)
      for (const refusal of refusals) {
        expect(refusal).toMatchObject({
          status: 503,
          code: 'paused',
          retryable: true,
          money_moved: 'no',
        })
        expect(refusal.detail).toContain('canary')
      }
      for (const [index, agent] of agents.entries())
        await expectExecutedOnce(
          rail,
          (await insist(() => execute(agent, payouts[index] as Payout))).body,
        )
      const canary = await canaryOf(rail)
      const reserved = await rail.db
        .selectFrom('transfers')
        .selectAll()
        .orderBy('reserved_at')
        .execute()
      expect(reserved.map(({ payout_id }) => payout_id)).toHaveLength(9)
      expect(reserved[0]).toMatchObject({ payout_id: canary.payout_id })
      for (const { reserved_at } of reserved.slice(1))
        expect(reserved_at.getTime()).toBeGreaterThanOrEqual(
          canary.executed_at?.getTime() ?? Number.POSITIVE_INFINITY,
        )

      const receipts = await rail.db
        .selectFrom('receipts')
        .select('jws')
        .where('subject', '=', canary.payout_id)
        .orderBy('seq')
        .execute()
      const claims = receipts.map(({ jws }) => claimsOf(jws))
      expect(claims.slice(0, 3).map(({ kind }) => kind)).toEqual([
        'payout_created',
        'payout_authorized',
        'payout_executed',
      ])
      const day = new Date(Number(claims[0]?.['iat']) * 1000).toISOString().slice(0, 10)
      expect(claims[2]).toMatchObject({
        mandate_ref: `canary:${day}`,
        creator: rail.service.payoutWallet.address.toLowerCase(),
      })
      expect(await rail.balance(canaryRecipient)).toBe(10_000n)
      const asPayout = {
        ...canary,
        transfer: { authorization_nonce: reserved[0]?.nonce },
      } as unknown as Payout
      expect(await chainRecord(rail, asPayout)).toMatchObject({ uses: 1, transfers: [10_000n] })
      const check = (await examine(stack.env)).find(({ name }) => name === 'canary')
      expect(check).toEqual({ name: 'canary', ok: true, detail: "today's canary is confirmed" })
    },
  )
})

describe('a canary that fails, and the minimum balance', () => {
  let stack: TestStack
  let rail: Rail
  beforeAll(async () => {
    const canary = {
      CANARY_RECIPIENT: canaryRecipient,
      CANARY_LIFE_S: '6',
      EXECUTE_LIFE_MIN_S: '2',
    }
    const env = { ...quick, ...canary, PAYOUT_BALANCE_MIN_ATOMIC: FLOOR.toString() }
    stack = await startStack({ runWorkers: 0, apis: 2, workers: 2, env })
    rail = await openRail(stack)
  })
  afterAll(async () => {
    await rail?.stop()
    await stack?.stop()
  })

  verifies(
    'canary.fails',
    'a failed canary pauses the rail until an operator decides',
    async () => {
      const agent = await rail.openAgent()
      const payout = await rail.authorized(agent)
      await asTokenOwner(rail, 'pause')
      expect((await refusalOf(execute(agent, payout))).detail).toContain('canary')
      // Asked of Postgres: a caller who asks so often would meet the limit of its wallet.
      await eventually(
        () => transfersOf(rail),
        ([only]) => only?.status === 'dead',
        45_000,
      )
      const { detail } = await refusalOf(execute(agent, payout))
      expect(detail).toMatch(/paused by an operator: canary-.* failed: expired/)
      const canary = await canaryOf(rail)
      expect(await transfersOf(rail)).toEqual([{ payout_id: canary.payout_id, status: 'dead' }])
      expect((await examine(stack.env)).find(({ name }) => name === 'canary')).toMatchObject({
        ok: false,
      })
      await asTokenOwner(rail, 'unpause')
      const resume = {
        scope: 'payouts',
        paused: false,
        reason: 'the token was paused',
        idempotency_key: 'resume',
      }
      const operator = { Authorization: `Bearer ${stack.accounts.operator.credential}` }
      const answer = await post(`${stack.baseUrls[0]}/api/os-security-hardening`, resume, operator)
      expect(answer.status).toBe(200)
      await expectExecutedOnce(rail, (await insist(() => execute(agent, payout))).body)
      expect(await rail.balance(canaryRecipient)).toBe(0n)
    },
  )

  verifies(
    ['minimum-balance.refuses', 'minimum-balance.alarms'],
    'parallel executes never bring the wallet below its minimum balance',
    async () => {
      const { payoutWallet, payTo } = rail.service
      const agents = await Promise.all(
        Array.from({ length: 9 }, (_, api) => rail.openAgent({ api: api % 2 })),
      )
      const payouts = await Promise.all(agents.map((agent) => rail.authorized(agent)))
      const surplus = (await rail.balance(payoutWallet.address)) - FLOOR - 4_500_000n
      await sendTokens(rail, privateKeyToAccount(payoutWallet.private_key), payTo.address, surplus)
      const ids = payouts.map(({ payout_id }) => payout_id)
      const reserved = async () =>
        (await transfersOf(rail)).filter(({ payout_id }) => ids.includes(payout_id)).length
      const pending = agents.map((agent, index) =>
        insist(() => execute(agent, payouts[index] as Payout)),
      )
      expect(await eventually(reserved, (count) => count >= 4)).toBe(4)
      expect(
        await eventually(
          () => rail.balance(payoutWallet.address),
          (held) => held === FLOOR + 500_000n,
        ),
      ).toBe(FLOOR + 500_000n)

      const metrics = async () => (await fetch(`${stack.baseUrls[0]}/metrics`)).text()
      expect(
        await eventually(metrics, (text) =>
          /^agent_rails_minimum_balance_headroom_atomic 500000$/m.test(text),
        ),
      ).toMatch(/headroom_atomic 500000$/m)
      expect(
        (await examine(stack.env)).find(({ name }) => name === 'minimum balance'),
      ).toMatchObject({
        ok: false,
        detail: '0.5 USDC above the minimum',
        remedy: 'Fund the payout wallet with at least 24.5 USDC.',
      })
      expect(Object.values(stack.logs()).join('\n')).toContain('the minimum balance is reached')
      expect(await reserved()).toBe(4)

      await mintTokens(rail.chain, rail.asset, payoutWallet.address, 100_000_000n)
      for (const answer of await Promise.all(pending)) await expectExecutedOnce(rail, answer.body)
      expect(await reserved()).toBe(9)
    },
  )
})
