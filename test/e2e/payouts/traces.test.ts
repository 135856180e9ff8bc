import { randomBytes } from 'node:crypto'
import { Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Agent, eventually, openRail, post, proofOf, type Rail } from '../../support/agent.ts'
import { quietRuntime } from '../../support/quiet.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { openTraceReceiver, type ReceivedSpan } from '../../support/trace-receiver.ts'
import { bundleWorkflows } from '../../support/workflow-bundle.ts'
import { verifies } from '../../verifies.ts'

quietRuntime()
let receiver: Awaited<ReturnType<typeof openTraceReceiver>>
let stack: TestStack
let rail: Rail
let silentApi: number

beforeAll(async () => {
  receiver = await openTraceReceiver()
  const env = {
    CHAIN_POLL_MS: '100',
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  }
  stack = await startStack({ runWorkers: 0, env })
  silentApi = await stack.startApi({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
  await receiver?.stop()
})

const newId = (bytes: number) => randomBytes(bytes).toString('hex')

/** One call of the wallet in a trace of its own. */
async function callIn(traceId: string, agent: Agent, path: string, body: object, api = 0) {
  const parent = newId(8)
  const proof = await proofOf(agent.account, stack.baseUrls[0] as string, path, body)
  const headers = { ...proof, traceparent: `00-${traceId}-${parent}-01` }
  const answer = await post(`${stack.baseUrls[api]}${path}`, body, headers)
  return { ...answer, parent }
}

const logLines = (name: string) =>
  (stack.logs()[name] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const workflowsOf = (traceId: string) =>
  eventually(
    async () => {
      const ids: string[] = []
      const query = `TraceIds = '${traceId}'`
      for await (const { workflowId } of rail.temporal.workflow.list({ query }))
        ids.push(workflowId)
      return ids
    },
    (ids) => ids.length > 0,
  )

/** The names of a span and of all spans above it, from the call down. */
function pathOf(span: ReceivedSpan, spans: ReceivedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return [...(parent === undefined ? [] : pathOf(parent, spans)), span.name]
}

async function executed(api = 0) {
  const memo = `private-${newId(8)}`
  const agent = await rail.openAgent()
  const payout = await rail.authorized(agent, { memo })
  const traceId = newId(16)
  const body = { payout_id: payout.payout_id, idempotency_key: `execute-${newId(4)}` }
  const answer = await callIn(traceId, agent, '/api/payout-execute', body, api)
  expect(answer.status).toBe(200)
  return { memo, agent, traceId, answer, payoutId: payout.payout_id }
}

verifies(
  ['trace.one', 'trace.private'],
  'an execute is one trace from the call to its transaction',
  async () => {
    const { memo, agent, traceId, answer, payoutId } = await executed()
    const named = (name: string) => receiver.ofTrace(traceId).filter((span) => span.name === name)
    const call = 'POST /api/payout-execute'
    await eventually(
      async () => [call, 'activity confirmTransfer'].every((name) => named(name).length > 0),
      (arrived) => arrived,
    )
    const spans = receiver.ofTrace(traceId)
    const [server] = named(call)
    expect(server).toMatchObject({
      service: 'agent-rails-api',
      parentSpanId: answer.parent,
      attributes: { 'http.response.status_code': 200, 'agent_rails.operation': 'payout-execute' },
    })
    const [sent] = named('broadcast')
    expect(sent?.service).toBe('agent-rails-worker')
    expect(pathOf(sent as ReceivedSpan, spans)).toEqual([
      call,
      'update execute',
      'activity submitTransfer',
      'broadcast',
    ])
    const transfer = await rail.db
      .selectFrom('transfers')
      .select('transaction_hash')
      .where('payout_id', '=', payoutId)
      .executeTakeFirstOrThrow()
    const hash = transfer.transaction_hash
    expect(sent?.attributes['blockchain.transaction.hash']).toBe(hash)
    const confirmed = named('activity confirmTransfer')
    expect(confirmed[0]?.attributes['blockchain.transaction.hash']).toBe(hash)

    const statements = spans.filter(({ name }) => name === 'sql transaction')
    const paths = statements.map((span) => pathOf(span, spans).join(' > '))
    expect(paths).toContain(`${call} > update execute > activity reserveTransfer > sql transaction`)

    const all = receiver.texts.join('\n')
    for (const hidden of [
      memo,
      agent.address,
      'X-Service-Wallet-Proof',
      'postgres://',
      stack.rpcUrl,
    ])
      expect(all.toLowerCase()).not.toContain(hidden.toLowerCase())
  },
)

verifies('trace.found', 'a trace id leads from problem and log line to the workflow', async () => {
  const { agent, traceId, payoutId } = await executed()
  const body = { payout_id: payoutId, idempotency_key: `again-${newId(4)}`, more: 1 }
  const refused = await callIn(traceId, agent, '/api/payout-execute', body)
  expect(refused.status).toBe(400)
  expect(refused.body['trace_id']).toBe(traceId)
  expect(refused.headers.get('x-trace-id')).toBe(traceId)
  const logged = await eventually(
    async () => logLines('api').filter((line) => line['trace_id'] === traceId),
    ({ length }) => length === 2,
  )
  expect(logged.map(({ operation, status }) => [operation, status])).toEqual([
    ['payout-execute', 200],
    ['payout-execute', 400],
  ])
  expect(await workflowsOf(traceId)).toEqual([payoutId])
})

verifies(
  ['trace.found', 'trace.off'],
  'without an exporter the id leads to the workflow too',
  async () => {
    const { traceId, payoutId } = await executed(silentApi)
    expect(await workflowsOf(traceId)).toEqual([payoutId])
    const logged = await eventually(
      async () => logLines(`api-${silentApi + 1}`).filter((line) => line['trace_id'] === traceId),
      ({ length }) => length > 0,
    )
    expect(logged).toHaveLength(1)
    const fromApi = receiver.ofTrace(traceId).filter(({ service }) => service.endsWith('api'))
    expect(fromApi).toEqual([])
  },
)

verifies(
  ['trace.replay', 'durable.replay'],
  'a run with the traces of several calls replays',
  async () => {
    const { payoutId } = await executed()
    const history = await rail.temporal.workflow.getHandle(payoutId).fetchHistory()
    const traced = JSON.stringify(history.events).match(/traceparent/g) ?? []
    expect(traced.length).toBeGreaterThan(3)
    const workflowBundle = await bundleWorkflows()
    await expect(Worker.runReplayHistory({ workflowBundle }, history)).resolves.toBeUndefined()
  },
)
