import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { paymentId } from '#domain/core/ids.ts'
import type { ProblemError } from '../../../api/http/client.ts'
import {
  type Agent,
  nowSeconds,
  openRail,
  post,
  proofOf,
  type Rail,
  type RawAnswer,
} from '../../support/agent.ts'
import { forgeries } from '../../support/forgeries.ts'
import {
  callsOf,
  earnings,
  openPayer,
  type Payment,
  paymentHeader,
  send,
  signPayment,
  termsOf,
} from '../../support/payments.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  // A slow machine may take a second for a hundred reads; who waits for a connection that never comes free is refused all the same.
  const env = { TRUST_PROXY: 'loopback', CHAIN_POLL_MS: '100', LIMIT_WALLET_PER_MINUTE: '500' }
  stack = await startStack({ runWorkers: 0, env: { ...env, DEPENDENCY_TIMEOUT_MS: '8000' } })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const create = (agent: Agent, headers: Record<string, string> = {}, terms = rail.terms()) =>
  send(rail, agent, 'payout-create', terms, headers)
const statuses = (answers: RawAnswer[]) => answers.map(({ status }) => status).sort()
const payoutsOf = async ({ address }: Agent) =>
  (await rail.db.selectFrom('payouts').select('payout_id').where('creator', '=', address).execute())
    .length
const paymentOf = (payment: Payment) => {
  const { from, nonce } = payment.payload.authorization
  return rail.db
    .selectFrom('payments')
    .selectAll()
    .where('payment_id', '=', paymentId(rail.asset, from, nonce))
    .executeTakeFirst()
}

verifies(
  ['free.ten', 'x402.offer'],
  '50 parallel first calls: exactly 10 are free, 40 are offered a price',
  async () => {
    const agent = await rail.openAgent()
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(agent)))
    expect(statuses(answers)).toEqual([...Array(10).fill(201), ...Array(40).fill(402)])
    expect((await callsOf(rail, agent)).map(({ funding }) => funding)).toEqual(
      Array(10).fill('free'),
    )
    expect(await payoutsOf(agent)).toBe(10)
    const unpaid = answers.find(({ status }) => status === 402) as RawAnswer
    const offer = {
      x402Version: 2,
      accepts: [termsOf(rail)],
      resource: { url: `${agent.baseUrl}/api/payout-create` },
    }
    expect(unpaid.body).toMatchObject({
      ...offer,
      code: 'payment_required',
      accepted_methods: ['x402_reference'],
    })
    const header = Buffer.from(
      unpaid.headers.get('payment-required') as string,
      'base64',
    ).toString()
    expect(JSON.parse(header)).toMatchObject(offer)
    expect(unpaid.headers.get('cache-control')).toBe('no-store')
  },
)

verifies(
  'free.rolling',
  'a free call comes back 30 days after it was used, and no other with it',
  async () => {
    const agent = await openPayer(rail, 0n)
    const age = (index: number, seconds: number) =>
      rail.db
        .updateTable('calls')
        .set({ granted_at: sql<Date>`clock_timestamp() - ${seconds} * interval '1 second'` })
        .where('call_id', '=', `seeded-${agent.address}-${index}`)
        .execute()
    const window = 30 * 24 * 3600
    await age(0, window - 60)
    expect((await create(agent)).status).toBe(402)
    await age(1, window + 1)
    expect((await create(agent)).status).toBe(201)
    expect((await create(agent)).status).toBe(402)
  },
)

verifies(
  ['charge.only-success', 'free.failed-call', 'proof.not-burnt'],
  'a refused call uses no free call and no proof',
  async () => {
    const agent = await openPayer(rail, 0n)
    await rail.db
      .deleteFrom('calls')
      .where(
        'call_id',
        'in',
        [0, 1].map((index) => `seeded-${agent.address}-${index}`),
      )
      .execute()
    const terms = rail.terms()
    const body = { idempotency_key: terms.idempotency_key }
    const proof = await proofOf(agent.account, agent.baseUrl, '/api/payout-status', body)
    const status = () => post(`${agent.baseUrl}/api/payout-status`, body, proof)
    expect(await status()).toMatchObject({
      status: 404,
      body: { code: 'not_found', money_moved: 'no' },
    })
    expect(await create(agent, {}, { ...terms, recipient: rail.asset })).toMatchObject({
      status: 422,
      body: { code: 'recipient_refused' },
    })
    expect((await create(agent, {}, { ...terms, surplus: 1 } as never)).status).toBe(400)
    expect(await callsOf(rail, agent)).toEqual([])
    expect((await create(agent, {}, terms)).status).toBe(201)
    expect((await status()).status).toBe(200)
    expect((await create(agent)).status).toBe(402)
    expect((await callsOf(rail, agent)).map(({ funding }) => funding)).toEqual(['free', 'free'])
  },
)

verifies(
  ['charge.only-success', 'x402.paid'],
  'a refused call uses no payment, which pays for the next call once',
  async () => {
    const agent = await openPayer(rail)
    const other = await rail.create(await rail.openAgent())
    const payment = await signPayment(rail, agent)
    const refused = await earnings(rail, async () => [
      await send(
        rail,
        agent,
        'payout-status',
        { payout_id: other.payout_id },
        paymentHeader(payment),
      ),
      await send(
        rail,
        agent,
        'payout-execute',
        { payout_id: other.payout_id, idempotency_key: 'x' },
        paymentHeader(payment),
      ),
      await create(agent, paymentHeader(payment), { ...rail.terms(), amount_usdc: '25.000001' }),
    ])
    expect(refused.result.map(({ status }) => status)).toEqual([404, 404, 422])
    expect(refused.earned).toBe(0n)
    const paid = await earnings(rail, () => create(agent, paymentHeader(payment)))
    expect([paid.result.status, paid.earned]).toEqual([201, 100_000n])
    const row = await paymentOf(payment)
    expect(row).toMatchObject({
      state: 'settled',
      proof_wallet: agent.address,
      payer: agent.address,
    })
    const response = Buffer.from(
      paid.result.headers.get('payment-response') as string,
      'base64',
    ).toString()
    expect(JSON.parse(response)).toEqual({
      success: true,
      transaction: row?.transaction_hash,
      network: 'eip155:8453',
      payer: agent.address,
    })
    expect((await callsOf(rail, agent)).map(({ funding }) => funding)).toEqual(['payment'])
  },
)

verifies(
  'x402.one-effect',
  'one payment sent with ten creates in parallel: one payout, nine 409',
  async () => {
    const agent = await openPayer(rail)
    const payment = await signPayment(rail, agent)
    const { result, earned } = await earnings(rail, () =>
      Promise.all(Array.from({ length: 10 }, () => create(agent, paymentHeader(payment)))),
    )
    expect(statuses(result)).toEqual([201, ...Array(9).fill(409)])
    for (const { status, body } of result)
      if (status === 409) expect(body['code']).toBe('payment_already_used')
    expect([earned, await payoutsOf(agent), (await callsOf(rail, agent)).length]).toEqual([
      100_000n,
      1,
      1,
    ])
  },
)

verifies(
  'x402.one-effect',
  'one payment sent to two routes in parallel has one effect and one 409',
  async () => {
    const [agent, thief] = [await openPayer(rail), await openPayer(rail, 0n)]
    const payout = await rail.create(await rail.openAgent({ wallet: thief }).then(freshCall))
    const payment = await signPayment(rail, agent)
    const { result, earned } = await earnings(rail, () =>
      Promise.all([
        create(agent, paymentHeader(payment)),
        send(rail, thief, 'payout-status', { payout_id: payout.payout_id }, paymentHeader(payment)),
      ]),
    )
    const lost = result.filter(({ status }) => status === 409)
    expect(lost.map(({ body }) => body['code'])).toEqual(['payment_already_used'])
    expect([result.filter(({ status }) => status < 300).length, earned]).toEqual([1, 100_000n])
  },
)

/** Gives a wallet back one of its free calls. */
async function freshCall(agent: Agent): Promise<Agent> {
  await rail.db.deleteFrom('calls').where('call_id', '=', `seeded-${agent.address}-0`).execute()
  return agent
}

verifies(
  'x402.one-effect',
  'a used payment in other letters is the same payment: 409',
  async () => {
    const agent = await openPayer(rail)
    const payment = await signPayment(rail, agent)
    expect((await create(agent, paymentHeader(payment))).status).toBe(201)
    const { authorization, signature } = payment.payload
    const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
    const shouted = {
      ...payment,
      payload: {
        signature: upper(signature),
        authorization: {
          ...authorization,
          from: upper(authorization.from),
          nonce: upper(authorization.nonce),
        },
      },
    }
    const { result, earned } = await earnings(rail, async () => [
      await create(agent, paymentHeader(shouted)),
      await create(await openPayer(rail, 0n), paymentHeader(payment)),
    ])
    for (const { status, body } of result)
      expect([status, body['code']]).toEqual([409, 'payment_already_used'])
    expect([earned, await payoutsOf(agent)]).toEqual([0n, 1])
  },
)

for (const [name, forge] of Object.entries(forgeries)) {
  verifies(
    ['x402.strict-payload', 'x402.header-confusion'],
    `${name}: 402 payment_invalid, nothing done, nothing claimed`,
    async () => {
      const agent = await openPayer(rail, 100_000n)
      const { status, body, headers } = await create(agent, await forge(rail, agent))
      expect([status, body['code'], body['money_moved']]).toEqual([402, 'payment_invalid', 'no'])
      expect(body['accepts']).toEqual([termsOf(rail)])
      expect(headers.get('payment-required')).not.toBeNull()
      const claimed = await rail.db
        .selectFrom('payments')
        .select('payment_id')
        .where('payer', '=', agent.address)
        .execute()
      expect([await payoutsOf(agent), (await callsOf(rail, agent)).length, claimed.length]).toEqual(
        [0, 0, 0],
      )
      expect(await rail.balance(agent.address)).toBe(100_000n)
    },
  )
}

verifies(
  'x402.remaining-life',
  'a payment that is valid for 55 s or for two days is refused',
  async () => {
    const agent = await openPayer(rail)
    const until = async (seconds: number) =>
      create(
        agent,
        paymentHeader(
          await signPayment(rail, agent, { validBefore: String(nowSeconds() + seconds) }),
        ),
      )
    expect([
      (await until(55)).status,
      (await until(2 * 86_400)).status,
      (await until(100)).status,
    ]).toEqual([402, 402, 201])
  },
)

verifies('x402.paid', 'a wallet that cannot pay is refused before anything is done', async () => {
  const agent = await openPayer(rail, 99_999n)
  const { status, body } = await create(agent, paymentHeader(await signPayment(rail, agent)))
  expect([status, body['code'], await payoutsOf(agent)]).toEqual([402, 'payment_invalid', 0])
})

verifies(
  'free.address-limit',
  'free calls are limited per client address and in all: beyond that, 402',
  async () => {
    const env = {
      TRUST_PROXY: 'loopback',
      FREE_GRANTS_PER_ADDRESS_PER_DAY: '2',
      FREE_GRANTS_PER_DAY: '3',
    }
    const small = await startStack({ runWorkers: 0, env })
    const few = await openRail(small)
    try {
      const from = async (address: string) =>
        (
          await send(few, await few.openAgent(), 'payout-create', few.terms(), {
            'X-Forwarded-For': address,
          })
        ).status
      const first = [
        await from('203.0.113.9'),
        await from('203.0.113.9'),
        await from('203.0.113.9'),
      ]
      expect(first).toEqual([201, 201, 402])
      expect([await from('203.0.113.10'), await from('203.0.113.11')]).toEqual([201, 402])
    } finally {
      await few.stop()
      await small.stop()
    }
  },
)

verifies(
  'pipeline.rate-limit',
  'a call that is paid for counts once against the limit of its wallet',
  async () => {
    const api = await stack.startApi({ LIMIT_WALLET_PER_MINUTE: '2' })
    const payer = await openPayer(rail, 1_000_000n, api)
    const terms = rail.terms()
    const pay = async () => paymentHeader(await signPayment(rail, payer))
    const statuses = [
      await send(rail, payer, 'payout-create', terms),
      await send(rail, payer, 'payout-create', terms, await pay()),
      await send(rail, payer, 'payout-create', rail.terms(), await pay()),
    ].map(({ status }) => status)
    expect(statuses).toEqual([402, 201, 429])
  },
)

verifies(
  'pipeline.reads-together',
  'a hundred wallets read at once, and each sees the same state',
  async () => {
    const agents = await Promise.all(Array.from({ length: 100 }, () => rail.openAgent()))
    const reads = agents.map(({ client }) =>
      client.call('payout-status', { idempotency_key: 'never' }),
    )
    const notified = await Promise.all(
      reads.map((read) => read.catch((error: ProblemError) => error.problem.code)),
    )
    expect(new Set(notified)).toEqual(new Set(['not_found']))
  },
)
