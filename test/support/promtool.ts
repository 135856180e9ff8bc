import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { packageRoot } from '../../activities/config/package-root.ts'

/** Why `promtool` cannot be run; undefined if it can. */
export const noPromtool =
  spawnSync('promtool', ['--version']).status === 0
    ? undefined
    : 'there is no promtool: apt-get install prometheus'

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          annotations: z.object({ summary: z.string(), runbook: z.string() }),
        }),
      ),
    }),
  ),
})

/** The rules of docs/alerts.yml. */
export function readAlerts() {
  const file = readFileSync(join(packageRoot, 'docs', 'alerts.yml'), 'utf8')
  return Rules.parse(parse(file)).groups.flatMap(({ rules }) => rules)
}

/** The metrics that PromQL expressions name, without the suffixes of histograms. */
export function metricsIn(expressions: readonly string[]): string[] {
  const named = expressions.flatMap((text) =>
    [...text.matchAll(/\b(?:(?:agent_rails|temporal|nodejs|process)_\w+|up\b)/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    ),
  )
  return [...new Set(named)]
}

/** Metrics that a worker shows; `up` is of Prometheus. */
export const isOfWorkers = (metric: string) =>
  metric.startsWith('temporal_') || metric === 'agent_rails_sweep_failures'
export const isOfApi = (metric: string) => metric !== 'up' && !isOfWorkers(metric)
