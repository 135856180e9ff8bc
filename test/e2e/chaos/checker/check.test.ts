import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Answer } from '../../../../api/http/client.ts'
import {
  type Agent,
  nowSeconds,
  openRail,
  type PayoutAnswer,
  type Rail,
} from '../../../support/agent.ts'
import { sendTokens } from '../../../support/payments.ts'
import { startStack, type TestStack } from '../../../support/stack.ts'
import { verifies } from '../../../verifies.ts'
import { environmentFacts } from '../environment-facts.ts'
import type { CallRecord, Findings, PayoutConstraints, RunRecord } from '../run-record.ts'
import { checkBatch } from './check.ts'

let stack: TestStack
let rail: Rail
let where: PayoutConstraints
let runs: RunRecord[]
beforeAll(async () => {
  stack = await startStack({ env: { CHAIN_POLL_MS: '100', SWEEP_EVERY_MS: '500' } })
  rail = await openRail(stack)
  where = await environmentFacts({ stack, rail })
  runs = await Promise.all(
    [0, 1, 2].map(async (index) => onePayout(await openAgent(index === 0), index)),
  )
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

/** One of them pays for its calls. */
async function openAgent(pays: boolean): Promise<Agent> {
  const agent = await rail.openAgent(pays ? { tokens: 1_000_000n } : {})
  if (pays) await rail.useUpFreeCalls(agent.address)
  return agent
}

async function onePayout({ client, address }: Agent, index: number): Promise<RunRecord> {
  const calls: CallRecord[] = []
  const noted = async (operation: string, key: string, call: Promise<Answer<PayoutAnswer>>) => {
    const askedMs = Date.now()
    const { status, body, replayed } = await call
    calls.push({ operation, key, answers: [{ status, body, replayed, askedMs, atMs: Date.now() }] })
    return body.payout
  }
  const terms = rail.terms()
  const payout = await noted(
    'payout-create',
    terms.idempotency_key,
    client.call('payout-create', terms),
  )
  const { payout_id } = payout
  const expiry = { expiresAt: nowSeconds() + 3600, idempotencyKey: 'authorize' }
  const authority = await rail.treasury.authorize(payout, expiry)
  await noted('payout-authorize', 'authorize', client.call('payout-authorize', authority))
  const execute = { payout_id, idempotency_key: 'execute' }
  await noted('payout-execute', 'execute', client.call('payout-execute', execute))
  const { payout_id: payoutId, recipient, amount_atomic: amountAtomic } = payout
  return {
    index,
    seed: 1,
    schedule: [],
    creator: address,
    payoutId,
    recipient,
    amountAtomic,
    calls,
    expects: 'executed',
  }
}

const clean: Findings = { duplicates: [], lost: [], disagreements: [], stuck: [] }
const whats = (findings: Findings) =>
  Object.entries(findings).flatMap(([as, found]) =>
    found.map(({ run, what }) => `${as}, run ${run}: ${what}`),
  )

verifies(
  'chaos.checker.real',
  'three healthy payouts on the real stack: nothing is found',
  async () => {
    expect(await checkBatch(where, runs)).toEqual(clean)
  },
)

verifies(
  'chaos.checker.real',
  'changed rows and a foreign transfer are found with their run',
  async () => {
    const { db, service } = rail
    const [first, second] = runs as [RunRecord, RunRecord]
    await db
      .deleteFrom('receipts')
      .where('subject', '=', first.payoutId ?? '')
      .where('kind', '=', 'payout_authorized')
      .execute()
    await db
      .updateTable('transfers')
      .set({ transaction_hash: `0x${'1'.repeat(64)}` })
      .where('payout_id', '=', second.payoutId ?? '')
      .execute()
    await sendTokens(
      rail,
      privateKeyToAccount(service.payoutWallet.private_key),
      second.recipient as Hex,
      1_000_000n,
    )

    expect(whats(await checkBatch(where, runs, { holdMs: 0 })).sort()).toEqual([
      'disagreements, run 0: a receipt is missing',
      'disagreements, run 0: a receipt is missing',
      'disagreements, run 0: an answer shows a receipt that is not stored',
      'disagreements, run 0: an answer shows a receipt that is not stored',
      'disagreements, run 0: the chain of receipts is broken',
      'disagreements, run 0: the receipts are payout_created,payout_executed,payout_final and not payout_created,payout_authorized,payout_executed,payout_final',
      'disagreements, run 1: the stored block is not the real one',
      'disagreements, run null: a leaf of the log is no receipt',
      'duplicates, run 1: a recipient holds more than it was due',
      'duplicates, run 1: money left the payout wallet and no payout explains it',
    ])
  },
)
