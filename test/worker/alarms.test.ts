import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { packageRoot } from '../../activities/config/package-root.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { takeDown } from '../support/faults.ts'
import { newAgentClient } from '../support/registering-agent.ts'
import { startStack, type TestStack } from '../support/stack.ts'
import { verifies } from '../verifies.ts'

const noPrometheus = spawnSync('prometheus', ['--version']).status !== 0
if (noPrometheus) console.log('alarm tests skipped: there is no prometheus')

let stack: TestStack
let prometheus: ChildProcess
let directory: string
let alertsUrl: string

/** The rules of docs/alerts.yml with short times, so that a test can wait for them. */
function quickRules(): string {
  return readFileSync(join(packageRoot, 'docs', 'alerts.yml'), 'utf8')
    .replaceAll(/for: \d+[mh]/g, 'for: 1s')
    .replaceAll('[5m]', '[20s]')
    .replace('agent_rails_log_oldest_seconds) > 120', 'agent_rails_log_oldest_seconds) > 3')
    .replace('agent_rails_sweep_failures) > 10', 'agent_rails_sweep_failures) > 3')
}

beforeAll(async () => {
  if (noPrometheus) return
  const [workerPort = 0, port = 0] = await findFree(2)
  const env = { WORKER_METRICS_PORT: String(workerPort), SWEEP_EVERY_MS: '500' }
  stack = await startStack({ runWorkers: 0, env })
  directory = mkdtempSync(join(tmpdir(), 'agent-rails-alarms-'))
  writeFileSync(join(directory, 'alerts.yml'), quickRules())
  const api = new URL(stack.baseUrls[0] as string).host
  writeFileSync(
    join(directory, 'prometheus.yml'),
    `global: { scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: agent-rails-api
    static_configs: [{ targets: ["${api}"] }]
  - job_name: agent-rails-workers
    static_configs: [{ targets: ["127.0.0.1:${workerPort}"] }]
`,
  )
  const settings = [
    `--config.file=${join(directory, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  prometheus = spawn('prometheus', settings, { stdio: 'ignore' })
  alertsUrl = `http://127.0.0.1:${port}/api/v1/alerts`
})
afterAll(async () => {
  prometheus?.kill('SIGKILL')
  await stack?.stop()
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
})

type Alert = { state: string; labels: Record<string, string> }

/** The alerts that fire, each with the label that says what of. */
async function firing(): Promise<string[]> {
  const answer = await fetch(alertsUrl).catch(() => undefined)
  if (answer === undefined) return ['prometheus is not up']
  const { data } = (await answer.json()) as { data: { alerts: Alert[] } }
  return data.alerts
    .filter(({ state }) => state === 'firing')
    .map(({ labels }) => {
      const { dependency, queue, sweep, job } = labels
      return [labels['alertname'], dependency ?? queue ?? sweep ?? job].filter(Boolean).join(' ')
    })
}
const fires = (...names: string[]) =>
  expect.poll(firing, { timeout: 150_000, interval: 1_000 }).toEqual(expect.arrayContaining(names))
/** The alerts of a stack without a worker of runs. */
const usual =
  /^(NoPollers runs|WorkflowTask|NoFreeSlots|DailyCap|PayoutWallet|GasWallet|ReviewWaits|TaskException)/
const silent = () =>
  expect
    .poll(async () => (await firing()).filter((name) => !usual.test(name)), {
      timeout: 150_000,
      interval: 1_000,
    })
    .toEqual([])

describe.skipIf(noPrometheus)('a real Prometheus', () => {
  verifies(
    'operate.alarms',
    'is silent, and reports the signer, the log and its sweep',
    async () => {
      await silent()
      const workerBack = await takeDown(stack.worker(), 'stopped')
      // Its receipt waits for the log.
      const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
      await newAgentClient(hosts).register()
      const signerBack = await takeDown(stack.signer, 'stopped')
      await workerBack()
      await fires('DependencyDown signer', 'LogStopped', 'SweepFails sequenceLog')
      await signerBack()
      await silent()
    },
    600_000,
  )

  verifies(
    'operate.alarms',
    'reports the chain, Temporal and calls that fail',
    async () => {
      const chainBack = await takeDown(stack.chain, 'stopped')
      await fires('DependencyDown chain')
      await chainBack()
      const temporalBack = await takeDown(stack.temporal, 'stopped')
      await fires('DependencyDown temporal', 'CallsFail')
      await temporalBack()
      await silent()
    },
    600_000,
  )

  verifies(
    ['operate.alarms', 'operate.gone-gauges'],
    'reports Postgres that hangs, and shows no old number',
    async () => {
      const bringBack = await takeDown(stack.postgres, 'stopped')
      await fires('DependencyDown postgres', 'GaugesMissing')
      const text = await (await fetch(`${stack.baseUrls[0]}/metrics`)).text()
      expect(text).not.toMatch(/^agent_rails_(pauses|reconciliation_age_seconds|transfers)[ {]/m)
      await bringBack()
      await silent()
    },
    600_000,
  )

  verifies(
    'operate.alarms',
    'reports a dead worker and a dead API',
    async () => {
      await stack.worker().kill('SIGKILL')
      await fires(
        'ProcessDown agent-rails-workers',
        'NoWorker',
        'NoPollers payouts',
        'NoPollers tasks',
        'DependencyDown workers',
      )
      await stack.api().kill('SIGKILL')
      await fires('ProcessDown agent-rails-api', 'NoApi')
    },
    600_000,
  )
})
