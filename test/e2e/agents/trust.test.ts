import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect } from 'vitest'
import { paymentId } from '#domain/core/ids.ts'
import { type Agent, eventually, openRail, post, proofOf, type Rail } from '../../support/agent.ts'
import { registeredAgent } from '../../support/agent-rows.ts'
import { newWallet, type TestWallet } from '../../support/chain.ts'
import { broadcastByOther, sendTokens, signPayment } from '../../support/payments.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import {
  evidenceOf,
  freshKey,
  handoff,
  inbox,
  packFor,
  passport,
  settledPayment,
} from '../../support/trust-wallet.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  const env = { LIMIT_WALLET_PER_MINUTE: '2000', CHAIN_POLL_MS: '100' }
  stack = await startStack({ runWorkers: 0, env: { ...env, DEPENDENCY_TIMEOUT_MS: '8000' } })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

type Paid = {
  transaction_hash: Hex
  payee: string
  amount_atomic: string
  authorization_nonce: Hex
}
/** A payment of the wallet past the service, as anyone may make it. */
async function pay(
  payer: Pick<TestWallet, 'account'>,
  payee: string,
  amount = 50_000n,
): Promise<Paid> {
  const signed = await signPayment(rail, payer, { to: payee, value: String(amount) })
  const authorization_nonce = signed.payload.authorization.nonce
  const transaction_hash = await broadcastByOther(rail, signed)
  return { transaction_hash, payee, amount_atomic: String(amount), authorization_nonce }
}
const idOf = (payer: string, { authorization_nonce }: Paid) =>
  `payment:${paymentId(rail.asset, payer, authorization_nonce)}`
const score = async (agent: Agent, payments: Paid[]) =>
  (
    await agent.client.call('scorecard-compute', {
      mode: 'compute',
      completed_work: [],
      payments,
    })
  ).body
const shareOf = (card: Awaited<ReturnType<typeof score>>, name: string) =>
  card.components.find(({ component }) => component === name)?.value
const payees = (count: number) => Array.from({ length: count }, () => newWallet())

verifies(
  ['trust.score.chain', 'trust.score.signed'],
  'payments count by their logs, and other claims are listed',
  async () => {
    const agent = await rail.openAgent({ tokens: 2_000_000n })
    const other = await rail.openAgent({ tokens: 2_000_000n })
    const [first, second] = payees(2) as [TestWallet, TestWallet]
    const real = await pay(agent, first.address)
    const theirs = await pay(other, second.address)
    const tampered = { ...real, amount_atomic: '50001' }
    const unknown = { ...real, transaction_hash: `0x${randomBytes(32).toString('hex')}` as Hex }
    const shouted = {
      ...real,
      payee: `0x${real.payee.slice(2).toUpperCase()}`,
      authorization_nonce: `0x${real.authorization_nonce.slice(2).toUpperCase()}` as Hex,
    }
    const card = await score(agent, [real, shouted, tampered, unknown, theirs])
    expect(card.components.find(({ component }) => component === 'payments_settled')).toEqual({
      component: 'payments_settled',
      weight: 25,
      value: 20,
      evidence: [idOf(agent.address, real)],
    })
    expect(card.rejected.map(({ reason }) => reason).sort()).toEqual([
      'duplicate',
      'receipt_not_found',
      'transfer_not_in_transaction',
      'transfer_not_in_transaction',
    ])
    const { receipt, ...shown } = card
    expect(receipt).toMatchObject({ kind: 'scorecard', payload: shown })
    const { body } = await agent.client.call('verify-receipt', { receipt_id: receipt.receipt_id })
    expect(body.verified).toBe(true)
    const again = await score(agent, [theirs, unknown, tampered, real, shouted])
    expect(again.inputs_sha256).toBe(card.inputs_sha256)
  },
)

verifies('trust.score.signed', 'the same inputs within the hour get the first score', async () => {
  const agent = await rail.openAgent({ tokens: 2_000_000n })
  const [payee] = payees(1) as [TestWallet]
  const paid = await pay(agent, payee.address)
  const first = await score(agent, [paid])
  await sendBack(payee, agent, 50_000n)
  // The hour of the chain may end between the two.
  const second = await score(agent, [paid])
  if (second.as_of === first.as_of) expect(second).toEqual(first)
  else expect(second.score.value).toBeLessThan(first.score.value)
})

const sendBack = (from: TestWallet, to: { address: Hex }, amount: bigint) =>
  sendTokens(rail, from.account, to.address, amount)

verifies(
  ['trust.score.unmoved', 'trust.score.refunds'],
  'self-payments, one owner, circles and refunds are seen on the chain',
  async () => {
    const agent = await rail.openAgent({ tokens: 4_000_000n })
    const [a, b, c, d, own] = payees(5) as [
      TestWallet,
      TestWallet,
      TestWallet,
      TestWallet,
      TestWallet,
    ]
    const paid = {
      a: await pay(agent, a.address),
      b: await pay(agent, b.address),
      c: await pay(agent, c.address),
      d: await pay(agent, d.address),
      self: await pay(agent, agent.address),
      own: await pay(agent, own.address),
    }
    const apart = await score(agent, [paid.a, paid.b, paid.c, paid.d])
    expect(shareOf(apart, 'distinct_counterparties')).toBe(80)
    const withSelf = await score(agent, [paid.a, paid.b, paid.c, paid.d, paid.self])
    expect(withSelf.score).toEqual(apart.score)
    expect(withSelf.rejected).toEqual([
      { item: idOf(agent.address, paid.self), reason: 'self_payment' },
    ])
    // Two payees are bound to one account, and the wallet to the account of another.
    const { agent_id: shared } = await registeredAgent(rail.db)
    const { agent_id: mine } = await registeredAgent(rail.db)
    const bound: [string, string][] = [
      [a.address, shared],
      [b.address, shared],
      [agent.address, mine],
      [own.address, mine],
    ]
    const rows = bound.map(([wallet, agentId]) => ({
      ...settledPayment(wallet.toLowerCase()),
      proof_wallet: `agent:${agentId}`,
    }))
    await rail.db
      .insertInto('payments')
      .values(rows as never)
      .execute()
    const oneOwner = await score(agent, [paid.b, paid.a, paid.c])
    expect(shareOf(oneOwner, 'distinct_counterparties')).toBe(40)
    const withOwn = await score(agent, [paid.b, paid.a, paid.c, paid.own])
    expect(withOwn.score).toEqual(oneOwner.score)
    expect(withOwn.rejected[0]?.reason).toBe('self_payment')
    // One payee pays another, and one returns half.
    await sendTokens(rail, c.account, d.address, 10_000n)
    await sendBack(d, agent, 25_000n)
    const circle = await score(agent, [paid.c, paid.d])
    expect(shareOf(circle, 'payments_settled')).toBe(40)
    expect(shareOf(circle, 'distinct_counterparties')).toBe(20)
    expect(shareOf(circle, 'refund_rate')).toBe(30)
    expect(circle.refunds).toMatchObject([
      { payment: idOf(agent.address, paid.d), amount_atomic: '25000' },
    ])
  },
)

verifies(
  ['trust.passport.issue', 'trust.calls'],
  'a call that x402 paid for becomes a passport with its transaction',
  async () => {
    const agent = await rail.openAgent({ tokens: 2_000_000n })
    await rail.useUpFreeCalls(agent.address)
    await agent.client.call('proof-list', { mode: 'list', offset: 0, limit: 1 })
    const payment = await rail.db
      .selectFrom('payments')
      .select(['payment_id', 'transaction_hash'])
      .where('payer', '=', agent.address.toLowerCase())
      .executeTakeFirstOrThrow()
    const { body } = await agent.client.call('passport-issue', {
      mode: 'issue',
      idempotency_key: freshKey(),
      work: { kind: 'settled_payment', payment_id: payment.payment_id },
      usage: 'operational',
    })
    expect(body.claims.proven).toMatchObject({
      outcome: 'settled',
      operation: 'proof-list',
      path: inbox,
      status: 200,
      payment: { transaction_hash: payment.transaction_hash },
    })
  },
)

verifies(
  'trust.crash',
  'killed in the middle, each call has one effect and one charge',
  async () => {
    const agent = await rail.openAgent()
    const origin = stack.baseUrls[0] as string
    const first = evidenceOf('the first')
    const firstProof = await proofOf(agent.account, origin, inbox, first)
    await post(origin + inbox, first, firstProof)
    const [header = ''] = Object.values(firstProof)
    const { nonce } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'))
    const work = { kind: 'wallet_free_call', nonce }
    const bodies: [string, Record<string, unknown>][] = [
      [inbox, evidenceOf('e 1')],
      [inbox, evidenceOf('e 2')],
      [inbox, evidenceOf('e 3')],
      [inbox, evidenceOf('e 4')],
      [passport, { mode: 'issue', idempotency_key: freshKey(), work, usage: 'synthetic' }],
      [handoff, packFor(newWallet().address)],
      [handoff, packFor(newWallet().address)],
    ]
    const calls = await Promise.all(
      bodies.map(async ([path, body]) => ({
        path,
        body,
        proof: await proofOf(agent.account, origin, path, body),
      })),
    )
    for (const delayMs of [5, 20, 60, 120]) {
      const sent = calls.map(({ path, body, proof }) =>
        post(origin + path, body, proof).catch(() => undefined),
      )
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      await stack.api().kill('SIGKILL')
      await Promise.all(sent)
      await stack.api().start()
      await stack.api().waitReady()
    }
    const answers = await Promise.all(
      calls.map(({ path, body, proof }) =>
        eventually(
          () => post(origin + path, body, proof).catch(() => ({ status: 0, body: {} })),
          ({ status }) => status === 201,
          30_000,
        ),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(201))
    const wallet = agent.address.toLowerCase()
    const countOf = async (table: 'proofs' | 'receipt_passports') =>
      (await rail.db.selectFrom(table).select('receipt_id').where('wallet', '=', wallet).execute())
        .length
    const packs = await rail.db
      .selectFrom('handoff_packs')
      .select('pack_id')
      .where('builder', '=', wallet)
      .execute()
    expect([await countOf('proofs'), await countOf('receipt_passports'), packs.length]).toEqual([
      5, 1, 2,
    ])
    const counter = await rail.db
      .selectFrom('proof_inboxes')
      .select('records')
      .where('wallet', '=', wallet)
      .executeTakeFirstOrThrow()
    expect(counter.records).toBe(5)
    const used = await rail.db
      .selectFrom('calls')
      .select(['funding', 'answer_state'])
      .where('caller', '=', `wallet:${wallet}`)
      .where('grant_state', '<>', 'released')
      .execute()
    expect(used).toEqual(Array(8).fill({ funding: 'free', answer_state: 'final' }))
  },
)
