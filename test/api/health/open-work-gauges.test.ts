import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { packageRoot } from '../../../activities/config/package-root.ts'
import type { Need } from '../../../worker/doctor/attention.ts'
import { runCli } from '../../support/cli.ts'
import { dashboardExpressions } from '../../support/dashboards.ts'
import { isOfApi, metricsIn, readAlerts } from '../../support/promtool.ts'
import { newAgentClient } from '../../support/registering-agent.ts'
import { taskStack } from '../../support/task-calls.ts'
import { verifies } from '../../verifies.ts'

const stack = taskStack()

const metrics = async () => (await fetch(`${stack.calls.hosts.base}/metrics`)).text()

verifies('operate.gauges', 'waiting reviews, tasks and exceptions are counted', async () => {
  await newAgentClient(stack.calls.hosts).register()
  const { token } = await stack.calls.agreed('operational')
  await stack.calls.raise(token)
  await expect.poll(metrics).toContain('agent_rails_task_exceptions{code="caller_dispute"} 1')
  const text = await metrics()
  expect(text).toContain('agent_rails_reviews_waiting{kind="agent"} 1')
  expect(text).toContain('agent_rails_reviews_waiting{kind="loop_step"} 0')
  expect(text).toMatch(/agent_rails_review_oldest_seconds\{kind="agent"\} [0-9.]+\n/)
  expect(text).toContain('agent_rails_tasks{state="exception_open"} 1')
  expect(text).toContain('# TYPE agent_rails_transfers_parked gauge')
})

verifies('operate.dashboards', 'the API has every metric that its panels name', async () => {
  const text = await metrics()
  const named = metricsIn(dashboardExpressions()).filter(isOfApi)
  expect(named.length).toBeGreaterThan(10)
  for (const name of named) expect(text).toContain(`# TYPE ${name} `)
})

verifies('operate.doctor-attention', 'doctor counts what waits and names the command', async () => {
  const env = { ...stack.apis.env, PATH: process.env['PATH'] }
  const { out } = await runCli(env, 'doctor', '--json')
  const { attention } = JSON.parse(out) as { attention: Need[] }
  const age = { oldest_seconds: expect.any(Number) }
  expect(attention).toContainEqual({
    ...age,
    kind: 'task',
    code: 'caller_dispute',
    count: 1,
    next: 'npx agent-rails recover list --stuck --where kind=task --where code=caller_dispute',
  })
  expect(attention).toContainEqual({
    ...age,
    kind: 'review',
    code: 'agent',
    count: 1,
    next: 'npx agent-rails review list --kind agent',
  })
  const { text } = await runCli(env, 'doctor')
  expect(text).toMatch(/WAITS {2}1 task caller_dispute, the oldest for \d+ s\n +→ npx agent-rails/)
})

verifies('operate.gauges', 'each alerting rule names a metric and a run book', async () => {
  const rules = readAlerts()
  const text = await metrics()
  const manual = readFileSync(join(packageRoot, 'docs', 'operations.md'), 'utf8')
  const headings = [...manual.matchAll(/^#+ (.*)$/gm)].map(
    ([, heading = '']) => `docs/operations.md#${heading.toLowerCase().replaceAll(' ', '-')}`,
  )
  expect(rules.length).toBeGreaterThan(5)
  for (const { expr, annotations } of rules) {
    const names = metricsIn([expr])
    expect(names).not.toEqual([])
    for (const name of names.filter(isOfApi)) expect(text).toContain(`# TYPE ${name} `)
    expect(headings).toContain(annotations.runbook)
  }
})
