import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { packageRoot } from '../../activities/config/package-root.ts'
import { noPromtool, readAlerts } from '../support/promtool.ts'
import { verifies } from '../verifies.ts'

const docs = join(packageRoot, 'docs')
const read = (name: string): unknown => parse(readFileSync(join(docs, name), 'utf8'))

const RuleTests = z.object({
  tests: z.array(
    z.object({
      alert_rule_test: z.array(
        z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) }),
      ),
    }),
  ),
})

const alerts = readAlerts().map(({ alert }) => alert)

verifies('operate.alert-tests', 'every alert is tested silent and firing', () => {
  const tested = RuleTests.parse(read('alerts.test.yml')).tests.flatMap(
    ({ alert_rule_test: cases }) => cases,
  )
  const named = (fires: boolean) =>
    tested.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires).map((one) => one.alertname)
  expect(named(true).sort()).toEqual(alerts.toSorted())
  expect(new Set(named(false))).toEqual(new Set(alerts))
})

if (noPromtool !== undefined) console.log(`promtool tests skipped: ${noPromtool}`)

describe.skipIf(noPromtool !== undefined)('promtool', () => {
  verifies('operate.alert-tests', 'accepts the alerting rules and passes their tests', () => {
    const run = (...args: string[]) => execFileSync('promtool', args, { cwd: docs }).toString()
    expect(run('check', 'rules', 'alerts.yml')).toContain(`${alerts.length} rules found`)
    expect(run('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS')
  })

  verifies('operate.alert-tests', 'refuses a rule that fires at the wrong time', () => {
    const wrong = readFileSync(join(docs, 'alerts.test.yml'), 'utf8')
      .replace('rule_files: [alerts.yml]', `rule_files: [${join(docs, 'alerts.yml')}]`)
      .replace('exp_alerts: []', 'exp_alerts: [{ exp_labels: { severity: page } }]')
    const { status, stderr } = spawnSync('promtool', ['test', 'rules', '/dev/stdin'], {
      input: wrong,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining('FAILED')])
  })
})
