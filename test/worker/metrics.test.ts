import { afterAll, beforeAll, expect } from 'vitest'
import { createTemporalClient } from '../../temporal/connection.ts'
import { PAYOUTS_QUEUE } from '../../temporal/queues.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { dashboardExpressions } from '../support/dashboards.ts'
import { isOfWorkers, metricsIn, readAlerts } from '../support/promtool.ts'
import { startStack, type TestStack } from '../support/stack.ts'
import { verifies } from '../verifies.ts'

let stack: TestStack
let port: number
beforeAll(async () => {
  ;[port = 0] = await findFree(1)
  // One worker process, because each needs a port of its own.
  stack = await startStack({ runWorkers: 0, env: { WORKER_METRICS_PORT: String(port) } })
})
afterAll(() => stack?.stop())

const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()

/** The only metric that needs a failure: a workflow that the code does not know fails each of its tasks. */
async function failWorkflowTask(): Promise<void> {
  const [TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE] = [stack.temporalAddress, 'default']
  const address = { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY: '' }
  const { client, close } = createTemporalClient({ ...address, TEMPORAL_TLS: 'off' })
  const run = { taskQueue: PAYOUTS_QUEUE, workflowId: 'unknown', args: [] }
  const handle = await client.workflow.start('unknown', run)
  await expect.poll(metrics).toContain('temporal_workflow_task_execution_failed_total{')
  await handle.terminate()
  await close()
}

verifies(
  ['operate.worker-metrics', 'operate.dashboards'],
  'a worker has every metric of rules and dashboards',
  async () => {
    await failWorkflowTask()
    const text = await metrics()
    const named = metricsIn([...readAlerts().map(({ expr }) => expr), ...dashboardExpressions()])
    const ofWorkers = named.filter(isOfWorkers)
    expect(ofWorkers.length).toBeGreaterThan(3)
    for (const name of ofWorkers) expect(text).toContain(`# TYPE ${name} `)
    for (const label of [
      'task_queue="payouts"',
      'worker_type="WorkflowWorker"',
      'failure_reason="',
    ])
      expect(text).toContain(label)
  },
)
