import type { PaymentRequired } from '@x402/core/types'
import { afterAll, beforeAll, expect } from 'vitest'
import { openRail, type Rail } from '../../support/agent.ts'
import { openAgentUse } from '../../support/agent-use.ts'
import { connectFormerMcp, connectMcp, type McpClient } from '../../support/mcp.ts'
import { openTaskCaller } from '../../support/mcp-tasks.ts'
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
  const swept = { SWEEP_GRACE_MS: '200', SWEEP_EVERY_MS: '500' }
  const env = { ...swept, LIMIT_AGENT_PER_MINUTE: '1000' }
  stack = await startStack({ env })
  rail = await openRail(stack)
  const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
  agent = await openAgentUse(hosts, stack.accounts.operator.credential)
  const headers = { Authorization: `Bearer ${agent.credential}` }
  current = await connectMcp(hosts.base, headers)
  former = await connectFormerMcp(hosts.base, headers)
  // Clients of the former SDK check results once they know the tools.
  await former.list()
})
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
    await expect.poll(state).toBe('credit_funded')
    const again = await current.call('start_rail_run', start, meta)
    expect(runIdOf(again)).toBe(run_id)
    const overHttp = await agent.start({ mode: 'start_agent_run', ...start })
    expect(overHttp.body.run.run_id).toBe(run_id)
    expect(await rail.balance(address)).toBe(2n * PRICE)
  },
)

verifies('mcp.payment', 'both eras send one paid call at once, and it is paid once', async () => {
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
})

verifies('mcp.payment', 'a payment that is none is refused, and nothing is begun', async () => {
  const start = await quoted(current)
  const result = await current.call('start_rail_run', start, { 'x402/payment': { paid: true } })
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { code: 'payment_invalid', money_moved: 'no' },
  })
})

/** A caller that takes tasks, of this agent unless another credential is given. */
const taking = (credential = agent.credential, capabilities?: object) =>
  openTaskCaller(
    stack.baseUrls[0] as string,
    { Authorization: `Bearer ${credential}` },
    capabilities,
  )
type Tasks = ReturnType<typeof taking>

/** An empty result: it has nothing of the task. */
async function assertTaken(sent: ReturnType<Tasks['cancel']>) {
  const { _meta, ...others } = (await sent).result ?? {}
  expect(others).toEqual({ resultType: 'complete' })
}

const isFunded = (runId: string) =>
  expect.poll(async () => (await agent.status(runId)).state).toBe('credit_funded')

const statusOf = async (tasks: Tasks, taskId: string) =>
  (await tasks.get(taskId)).result?.['status']

verifies('mcp.tasks', 'a paid run is a task of its agent until it has its result', async () => {
  const tasks = taking()
  const start = await quoted(current)
  const unpaid = (await tasks.call('start_rail_run', start)).result ?? {}
  expect(unpaid).toMatchObject({ resultType: 'complete', isError: true })
  const { address, pay } = await openWallet(3n * PRICE)
  const meta = await pay(unpaid.structuredContent ?? {})
  const { result: handle } = await tasks.call('start_rail_run', start, meta)
  const taskId = String(handle?.['taskId'])
  expect(handle).toMatchObject({
    resultType: 'task',
    taskId: expect.stringMatching(/^run_[0-9a-f]{64}$/),
    status: 'working',
    createdAt: expect.stringMatching(/^\d{4}-.+Z$/),
    ttlMs: null,
    pollIntervalMs: 2000,
    _meta: { 'x402/payment-response': { success: true } },
  })
  const { result: working } = await tasks.get(taskId)
  expect(working).toMatchObject({ resultType: 'complete', taskId, status: 'working' })
  expect(working).not.toHaveProperty('result')
  const plain = await current.call('start_rail_run', start, meta)
  expect(runIdOf(plain)).toBe(taskId)
  const { task_id } = (plain.structuredContent as { run: { task_id: string } }).run
  await isFunded(taskId)
  await agent.approve('task', task_id)
  const isReviewed = async () =>
    (await agent.status(taskId)).loop.steps.find(({ step }) => step === 'review_step')?.state
  await expect.poll(isReviewed).toBe('waits')
  await agent.approve('loop_step', taskId)
  await expect.poll(() => statusOf(tasks, taskId)).toBe('completed')
  const given = (await tasks.get(taskId)).result?.['result'] as typeof plain
  expect(given.structuredContent).toMatchObject({ run: { run_id: taskId }, challenge: null })
  expect(JSON.parse(given.content[0]?.text ?? '')).toEqual(given.structuredContent)
  expect(given.isError ?? false).toBe(false)
  await assertTaken(tasks.cancel(taskId))
  expect(await statusOf(tasks, taskId)).toBe('completed')
  const again = (await tasks.call('start_rail_run', start, meta)).result ?? {}
  expect(again['resultType']).toBe('complete')
  expect(again.structuredContent).toMatchObject({ run: { run_id: taskId } })
  expect(await rail.balance(address)).toBe(2n * PRICE)
})

verifies('mcp.tasks', 'a task is unknown to another agent and needs the extension', async () => {
  const start = await quoted(current)
  const unpaid = await current.call('start_rail_run', start)
  const run = unpaid.structuredContent['run'] as { run_id: string }
  const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
  const stranger = await openAgentUse(hosts, stack.accounts.operator.credential)
  const ways = ['get', 'cancel', 'update'] as const
  for (const way of ways) {
    const ofStranger = await taking(stranger.credential)[way](run.run_id)
    const ofNone = await taking()[way](`run_${'0'.repeat(64)}`)
    expect(ofStranger.error).toMatchObject({ code: -32602 })
    expect(ofStranger.error?.message).toBe(`unknown task: ${run.run_id}`)
    expect(ofNone.error).toMatchObject({ code: -32602 })
    expect((await taking(agent.credential, {})[way](run.run_id)).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
    expect((await taking('ag_1_x')[way](run.run_id)).error?.data).toMatchObject({ status: 401 })
  }
  expect(await statusOf(taking(), run.run_id)).toBe('working')
})

verifies(
  ['mcp.cancel', 'mcp.payment'],
  'who disconnects, repeats and cancels pays once and is credited',
  async () => {
    const tasks = taking()
    const start = await quoted(former)
    const unpaid = await former.call('start_rail_run', start)
    const { address, pay } = await openWallet(3n * PRICE)
    const meta = await pay(unpaid.structuredContent)
    for (const ms of [1, 30, 120])
      await tasks
        .call('start_rail_run', start, meta, AbortSignal.timeout(ms))
        .catch(() => undefined)
    const { run_id } = unpaid.structuredContent['run'] as { run_id: string }
    const handle = async () => (await tasks.call('start_rail_run', start, meta)).result?.['taskId']
    await expect.poll(handle).toBe(run_id)
    await isFunded(run_id)
    await Promise.all([tasks.cancel(run_id), tasks.cancel(run_id)].map(assertTaken))
    await expect.poll(() => statusOf(tasks, run_id)).toBe('cancelled')
    expect((await tasks.get(run_id)).result).not.toHaveProperty('result')
    await expect.poll(async () => (await agent.status(run_id)).state).toBe('closed')
    for (const client of [former, current])
      expect(runIdOf(await client.call('start_rail_run', start, meta))).toBe(run_id)
    const { entitlement_id } = await agent.status(run_id)
    const read = { entitlement_id: String(entitlement_id) }
    const { entitlement } = (await agent.client.call('agent-credit-read', read)).body
    expect(entitlement).toMatchObject({ state: 'returned', consumed_units: 0 })
    expect(await rail.balance(address)).toBe(2n * PRICE)
  },
)

verifies('mcp.cancel', 'a run that is cancelled before it is paid takes no money', async () => {
  const tasks = taking()
  const start = await quoted(current)
  const unpaid = await current.call('start_rail_run', start)
  const { run_id } = unpaid.structuredContent['run'] as { run_id: string }
  await assertTaken(tasks.cancel(run_id))
  await expect.poll(() => statusOf(tasks, run_id)).toBe('cancelled')
  const { address, pay } = await openWallet(PRICE)
  const late = await current.call('start_rail_run', start, await pay(unpaid.structuredContent))
  expect(late.structuredContent['money_moved'] ?? 'no').toBe('no')
  expect(await statusOf(tasks, run_id)).toBe('cancelled')
  expect(await rail.balance(address)).toBe(PRICE)
})

verifies('mcp.cancel', 'nothing is cancelled while a payment may be in progress', async () => {
  const tasks = taking()
  const { quote_id } = await agent.quote('packetops', 7)
  const { payment_reference_id } = await agent.pay(quote_id)
  const { mode: _mode, ...start } = agent.startInput(quote_id)
  const { result } = await tasks.call('start_rail_run', { ...start, payment_reference_id })
  const taskId = String(result?.['taskId'])
  expect((await tasks.cancel(taskId)).error).toMatchObject({
    code: -32600,
    data: { code: 'recovery_not_allowed', money_moved: 'unknown' },
  })
  expect((await agent.status(taskId)).state).toBe('credit_pending')
})
