import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { payerText } from '#domain/payments/payment-reference.ts'
import { verifyLedger } from '#domain/tasks/ledger.ts'
import { listLedger } from '../../../activities/store/tasks/tasks.ts'
import { openRail, type Rail } from '../../support/agent.ts'
import { buyingAgent } from '../../support/buying-task.ts'
import { newWallet } from '../../support/chain.ts'
import { base64, sendTokens, signPayment } from '../../support/payments.ts'
import { trustedAgent } from '../../support/registering-agent.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
let buyer: ReturnType<typeof buyingAgent>
beforeAll(async () => {
  stack = await startStack({
    env: { SWEEP_GRACE_MS: '200', SWEEP_EVERY_MS: '500', LIMIT_AGENT_PER_MINUTE: '6000' },
  })
  rail = await openRail(stack)
  const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
  const operator = stack.accounts.operator.credential
  buyer = buyingAgent(hosts, await trustedAgent(hosts, operator), operator, rail.db)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

/** A wallet that can pay this many usd. */
async function payer(usd: number) {
  const { account } = await rail.openAgent({
    wallet: newWallet(),
    tokens: BigInt(usd) * 1_000_000n,
  })
  return account
}
/** What every way of payment comes to: a closed task, a whole ledger, money that adds up. */
async function comesHome(
  task: { taskId: string; task_token: string; share: number },
  source: string,
  paid: number,
) {
  await buyer.finish(task)
  const entries = await listLedger(rail.db, task.taskId)
  expect(verifyLedger(task.taskId, entries)).toMatchObject({ ok: true })
  expect(entries.filter(({ event }) => event === 'credit_funded')).toHaveLength(1)
  const { rows } = await sql<{ account: string; units: number }>`
    select p.account, sum(p.units)::int as units from postings p where p.receipt_id in (select receipt_id from postings
      where account = (select 'credit:' || entitlement_id from tasks where task_id = ${task.taskId})) group by p.account`.execute(
    rail.db,
  )
  const sums = Object.fromEntries(
    rows.map(({ account, units }) => [account.replace(/en_.*/, 'en'), units]),
  )
  expect(sums).toMatchObject({ [source]: -paid, 'credit:en': paid - task.share })
  expect(Object.values(sums).reduce((sum, units) => sum + units, 0)).toBe(0)
}

verifies(
  ['task.money.chain', 'task.money.healed'],
  'an on-chain payment completes a task although its worker is killed',
  async () => {
    const task = await buyer.challenged()
    const { challenge_id, amount_usd } = task.challenge
    const account = await payer(amount_usd)
    const { transactionHash } = await sendTokens(
      rail,
      account,
      rail.service.payTo.address,
      BigInt(amount_usd) * 1_000_000n,
    )
    await stack.worker().kill('SIGKILL')
    const origin = stack.baseUrls[0] as string
    const signature = await account.signMessage({
      message: payerText({ origin, paysFor: challenge_id, transactionHash }),
    })
    const method = 'stablecoin_reference' as const
    await buyer.present({
      challenge_id,
      method,
      external_reference: transactionHash,
      payer: account.address,
      proof: { signature },
    })
    await stack.worker().start()
    await buyer.reaches(task.task_token, 'credit_funded', 60_000)
    await comesHome(task, 'clearing:stablecoin_reference', amount_usd)
  },
)

verifies(
  'task.money.chain',
  'a payment by x402 over HTTP takes a task from its contract to its end',
  async () => {
    const task = await buyer.challenged()
    const { challenge_id, amount_usd, accepts } = task.challenge
    const offer = accepts[0] as { amount: string }
    const payment = await signPayment(
      rail,
      { account: await payer(amount_usd) },
      { value: offer.amount },
    )
    await buyer.present({
      challenge_id,
      method: 'x402_reference',
      external_reference: 'x402',
      proof: { payment: base64(JSON.stringify({ ...payment, accepted: offer })) },
    })
    await buyer.reaches(task.task_token, 'credit_funded', 60_000)
    await comesHome(task, 'clearing:x402_reference', amount_usd)
  },
)
