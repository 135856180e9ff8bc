import { afterAll, beforeAll, expect } from 'vitest'
import { createTemporalClient } from '../../../temporal/connection.ts'
import { workflowScheduleId } from '../../../temporal/workflow-schedules.ts'
import { restart } from '../../support/processes.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { openWorkflows } from '../../support/workflows.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let agent: Awaited<ReturnType<typeof openWorkflows>>
beforeAll(async () => {
  stack = await startStack({ env: { SWEEP_EVERY_MS: '500' } })
  const hosts = [{ base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }]
  agent = await openWorkflows({
    hosts,
    operator: stack.accounts.operator.credential,
    config: { BASE_URL: hosts[0]!.base } as never,
  })
  await agent.fund(5_000)
})
afterAll(() => stack?.stop())

/** The schedule of a workflow, asked at Temporal itself. */
async function onSchedule<T>(
  id: string,
  ask: (handle: ReturnType<typeof handleOf>) => Promise<T>,
): Promise<T> {
  const temporal = createTemporalClient({
    TEMPORAL_ADDRESS: stack.temporalAddress,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_API_KEY: '',
    TEMPORAL_TLS: 'off',
  })
  try {
    return await ask(handleOf(temporal, id))
  } finally {
    await temporal.close()
  }
}
const handleOf = ({ client }: ReturnType<typeof createTemporalClient>, id: string) =>
  client.schedule.getHandle(workflowScheduleId(id))

verifies('workflow.killed', 'a firing is carried out once although both were killed', async () => {
  const id = await agent.active()
  const isScheduled = () =>
    onSchedule(id, (handle) => handle.describe()).then(
      () => true,
      () => false,
    )
  await expect.poll(isScheduled, { interval: 500 }).toBe(true)
  await stack.worker().kill('SIGKILL')
  // One day is due, and no worker can carry it out.
  const day = 86_400_000
  const from = Date.now() - day
  await onSchedule(id, (handle) =>
    handle.backfill({ start: new Date(from), end: new Date(from + day), overlap: 'ALLOW_ALL' }),
  )
  await stack.temporal.kill('SIGKILL')
  for (const part of [stack.temporal, stack.worker()]) await restart(part)

  const firings = async () => (await agent.read(id)).firings.filter(({ state }) => state !== 'due')
  await expect.poll(async () => (await firings()).length).toBeGreaterThan(0)
  const started = (await firings()).filter(({ state }) => state === 'started')
  expect(started.length).toBe(1)
  // It is dated by when it was due, and not by when the worker came back.
  expect(Date.parse(started[0]?.due_at ?? '') % 60_000).toBe(0)
  expect(await agent.status(String(started[0]?.run_id))).toMatchObject({
    state: 'credit_funded',
    waiting_for: ['review'],
  })
  expect(await isScheduled()).toBe(true)
})
