import type { PaymentRequired } from '@x402/core/types'
import { afterAll, beforeAll, expect } from 'vitest'
import { openRail, type Rail } from '../../support/agent.ts'
import { openAgentUse } from '../../support/agent-use.ts'
import { connectFormerMcp, connectMcp, type McpClient } from '../../support/mcp.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { openPayer } from '../../support/x402-payer.ts'
import { verifies } from '../../verifies.ts'

// The official clients of both eras against the stack; payments are signed by the x402 library.
let stack: TestStack
let rail: Rail
let agent: Awaited<ReturnType<typeof openAgentUse>>
let current: McpClient
let former: McpClient
beforeAll(async () => {
  stack = await startStack({ env: { SWEEP_GRACE_MS: '200', SWEEP_EVERY_MS: '500' } })
  rail = await openRail(stack)
  const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
  agent = await openAgentUse(hosts, stack.accounts.operator.credential)
  const headers = { Authorization: `Bearer ${agent.credential}` }
  current = await connectMcp(hosts.base, headers)
  former = await connectFormerMcp(hosts.base, headers)
  // Clients of the former SDK check results once they know the tools.
  await former.list()
}, 200_000)
afterAll(async () => {
  await Promise.all([current?.close(), former?.close()])
  await rail?.stop()
  await stack?.stop()
})

/** A wallet with these atomic units, and the x402 library that signs with it. */
async function openWallet(tokens: bigint) {
  const { address, payer } = await openPayer(rail, tokens)
  const pay = async (required: Record<string, unknown>) => ({
    'x402/payment': await payer.createPaymentPayload(required as unknown as PaymentRequired),
  })
  return { address, pay }
}

const PRICE = 107_000_000n
type Started = { run: { run_id: string; state: string } }
const runIdOf = (result: { structuredContent: Record<string, unknown> }) =>
  (result.structuredContent as Started).run.run_id

/** A quote and what starts its run, over MCP alone. */
async function quoted(client: McpClient, tool = 'packetops' as const) {
  const asked = { rail: tool, tier: 'standard', idempotency_key: crypto.randomUUID() }
  const { quote } = (await client.call('quote_run', asked)).structuredContent as {
    quote: { quote_id: string }
  }
  const { mode: _mode, ...start } = agent.startInput(quote.quote_id, tool)
  return start
}

verifies(
  ['mcp.payment-required', 'mcp.payment', 'mcp.runs'],
  'a client is asked to pay, pays in _meta, and its run is started once',
  async () => {
    const start = await quoted(current)
    const unpaid = await current.call('start_rail_run', start)
    expect(unpaid).toMatchObject({
      isError: true,
      structuredContent: {
        code: 'payment_required',
        status: 402,
        money_moved: 'no',
        next_action: expect.any(String),
        x402Version: 2,
        error: expect.any(String),
        resource: { url: 'mcp://tool/start_rail_run' },
        accepts: [{ scheme: 'exact', network: 'eip155:8453', amount: String(PRICE) }],
        challenge: { state: 'open' },
      },
    })
    expect(JSON.parse(unpaid.content[0]?.text ?? '')).toEqual(unpaid.structuredContent)
    const { address, pay } = await openWallet(3n * PRICE)
    const meta = await pay(unpaid.structuredContent)
    const paid = await current.call('start_rail_run', start, meta)
    expect(paid.isError ?? false).toBe(false)
    expect(paid._meta?.['x402/payment-response']).toMatchObject({
      success: true,
      network: 'eip155:8453',
      payer: address.toLowerCase(),
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    const run_id = runIdOf(paid)
    const state = async () => {
      const read = await current.call('get_run_status', { run_id, wait_ms: 1000 })
      return (read.structuredContent as Started).run.state
    }
    await expect.poll(state, { timeout: 60_000 }).toBe('credit_funded')
    const again = await current.call('start_rail_run', start, meta)
    expect(runIdOf(again)).toBe(run_id)
    const overHttp = await agent.start({ mode: 'start_agent_run', ...start })
    expect(overHttp.body.run.run_id).toBe(run_id)
    expect(await rail.balance(address)).toBe(2n * PRICE)
  },
  120_000,
)

verifies(
  'mcp.payment',
  'both eras send one paid call at once, and it is paid once',
  async () => {
    const start = await quoted(former)
    const unpaid = await former.call('start_rail_run', start)
    expect(unpaid.isError).toBe(true)
    const { address, pay } = await openWallet(3n * PRICE)
    const meta = await pay(unpaid.structuredContent)
    const send = (client: McpClient) => client.call('start_rail_run', start, meta)
    const sent = await Promise.all([send(current), send(former), send(current), send(former)])
    // One that finds the payment under way is refused, and never asked to pay again.
    for (const { isError, structuredContent } of sent)
      if (isError) expect(structuredContent['status']).not.toBe(402)
    const settled = await former.call('start_rail_run', start, meta)
    const runs = [settled, ...sent].filter(({ isError }) => !isError).map(runIdOf)
    expect(new Set(runs).size).toBe(1)
    expect(await rail.balance(address)).toBe(2n * PRICE)
  },
  120_000,
)

verifies('mcp.payment', 'a payment that is none is refused, and nothing is begun', async () => {
  const start = await quoted(current)
  const result = await current.call('start_rail_run', start, { 'x402/payment': { paid: true } })
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { code: 'payment_invalid', money_moved: 'no' },
  })
})
