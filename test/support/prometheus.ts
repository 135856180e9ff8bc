import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { packageRoot } from '../../activities/config/package-root.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { within } from './slowness.ts'

/** Limits that a test does not wait for; docs/alerts.test.yml tests the real ones. */
const shortened: readonly (readonly [string, string])[] = [
  ['(agent_rails_log_oldest_seconds) > 120', '(agent_rails_log_oldest_seconds) > 2'],
  ['{status!="included"}) > 900', '{status!="included"}) > 3'],
  ['{status="included"}) > 3600', '{status="included"}) > 3'],
  ['(agent_rails_late_oldest_seconds) > 3600', '(agent_rails_late_oldest_seconds) > 3'],
  ['(agent_rails_review_oldest_seconds) > 3600', '(agent_rails_review_oldest_seconds) > 3'],
  ['max(agent_rails_reconcile_every_seconds) + 900', 'max(agent_rails_reconcile_every_seconds)'],
]

/** The rules of docs/alerts.yml, which fire as soon as they are true. */
function quickRules(): string {
  let rules = readFileSync(join(packageRoot, 'docs', 'alerts.yml'), 'utf8')
  for (const [real, short] of shortened) {
    if (!rules.includes(real)) throw new Error(`no rule of docs/alerts.yml has ${real}`)
    rules = rules.replace(real, short)
  }
  return rules.replaceAll(/^ +for: .*\n/gm, '').replaceAll('[5m]', '[20s]')
}

type Alert = { state: string; labels: Record<string, string> }

/** A Prometheus that scrapes API and worker processes at these addresses, such as `127.0.0.1:3000`, with the rules of docs/alerts.yml. */
export async function startPrometheus(directory: string, targets: { api: string; worker: string }) {
  const [port] = await findFree(1)
  const job = (job_name: string, target: string, scrape_interval: string) => {
    const static_configs = [{ targets: [target] }]
    return { job_name, scrape_interval, scrape_timeout: scrape_interval, static_configs }
  }
  writeFileSync(join(directory, 'alerts.yml'), quickRules())
  writeFileSync(
    join(directory, 'prometheus.yml'),
    JSON.stringify({
      global: { evaluation_interval: '1s' },
      rule_files: ['alerts.yml'],
      scrape_configs: [
        // Longer than the API waits for a gauge.
        job('agent-rails-api', targets.api, '4s'),
        job('agent-rails-workers', targets.worker, '2s'),
      ],
    }),
  )
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const url = `http://127.0.0.1:${port}/api/v1`
  /** Names and subjects of what fires, such as `DependencyDown chain`. */
  const firing = async (): Promise<string[]> => {
    const answer = await fetch(`${url}/alerts`)
    const { data } = (await answer.json()) as { data: { alerts: Alert[] } }
    return data.alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => nameOf(labels))
      .sort()
  }
  const polled = () =>
    expect.poll(() => firing().catch(() => []), { timeout: within(120_000), interval: 500 })
  return {
    /** Waits until all of these fire. */
    untilFiring: (...names: string[]) => polled().toEqual(expect.arrayContaining(names)),
    /** Waits until these fire and no others. */
    untilOnly: (...names: string[]) => polled().toEqual(names.toSorted()),
    /** Waits until an expression has this value. */
    untilValue: (expression: string, value: string) =>
      expect
        .poll(() => readValue(url, expression), { timeout: within(60_000), interval: 500 })
        .toBe(value),
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Labels that say what an alert is about. */
const subjects = [
  'dependency',
  'queue',
  'task_queue',
  'worker_type',
  'subject',
  'status',
  'kind',
  'code',
  'event',
  'job',
]
const nameOf = (labels: Record<string, string>): string =>
  ['alertname', ...subjects].flatMap((name) => labels[name] ?? []).join(' ')

async function readValue(url: string, expression: string): Promise<string | undefined> {
  const answer = await fetch(`${url}/query?query=${encodeURIComponent(expression)}`)
  const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } }
  return data.result[0]?.value[1]
}
