import { decodePaymentResponseHeader } from '@x402/core/http'
import { wrapFetchWithPayment } from '@x402/fetch'
import { afterAll, beforeAll, expect } from 'vitest'
import { createClient } from '../../../api/http/client.ts'
import { openRail, type Rail } from '../../support/agent.ts'
import { openAgentUse, problemOf } from '../../support/agent-use.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { openPayer } from '../../support/x402-payer.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  stack = await startStack({ env: { SWEEP_GRACE_MS: '200', SWEEP_EVERY_MS: '500' } })
  rail = await openRail(stack)
  const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
  agent = await openAgentUse(hosts, stack.accounts.operator.credential)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

/** The agent with a wallet of these atomic units, paid by the x402 library as it is. */
async function payingAgent(tokens: bigint) {
  const { address, payer } = await openPayer(rail, tokens)
  const fetchPaid = wrapFetchWithPayment(fetch, payer)
  const notified: { settled?: ReturnType<typeof decodePaymentResponseHeader> } = {}
  const fetchAndSee = async (...asked: Parameters<typeof fetch>) => {
    const answer = await fetchPaid(...asked)
    const header = answer.headers.get('payment-response')
    if (header !== null) notified.settled = decodePaymentResponseHeader(header)
    return answer
  }
  const baseUrl = stack.baseUrls[0] as string
  return {
    address,
    notified,
    client: createClient({ baseUrl, agent: agent.credential, fetch: fetchAndSee }),
  }
}

verifies(
  ['caller.x402-run', 'conform.payment-response'],
  'the x402 library pays for a run, and the paid call starts it once',
  async () => {
    const { quote_id, total_usd } = await agent.quote()
    const input = agent.startInput(quote_id)
    const unpaid = await problemOf(agent.start(input))
    expect(unpaid).toMatchObject({
      code: 'payment_required',
      x402Version: 2,
      accepts: [{ amount: '107000000' }],
    })
    const price = BigInt(total_usd) * 1_000_000n
    const { address, client, notified } = await payingAgent(3n * price)
    const { status, body } = await client.call('start-agent-run', input)
    expect(status).toBe(202)
    const transaction = expect.stringMatching(/^0x[0-9a-f]{64}$/)
    expect(notified.settled).toMatchObject({
      success: true,
      network: 'eip155:8453',
      payer: address.toLowerCase(),
      transaction,
    })
    const { run_id } = body.run
    const state = async () => (await agent.status(run_id)).state
    await expect.poll(state).toBe('credit_funded')
    const again = await client.call('start-agent-run', input)
    expect(again.body.run).toMatchObject({ run_id, quote_id })
    expect(await rail.balance(address)).toBe(2n * price)
  },
)

verifies(
  'caller.x402-balance',
  'a payer who holds too little is named as that, and nothing is begun',
  async () => {
    const { quote_id } = await agent.quote('diligenceops')
    const { address, client } = await payingAgent(1_000_000n)
    const problem = await problemOf(
      client.call('start-agent-run', agent.startInput(quote_id, 'diligenceops')),
    )
    expect(problem).toMatchObject({ code: 'payment_invalid', money_moved: 'no' })
    expect(problem.detail).toContain('holds less than')
    expect(await rail.balance(address)).toBe(1_000_000n)
  },
)
