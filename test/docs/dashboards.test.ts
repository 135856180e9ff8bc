import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { packageRoot } from '../../activities/config/package-root.ts'
import { dashboardFiles } from '../../worker/docs/dashboards.ts'
import { noPromtool } from '../support/promtool.ts'
import { verifies } from '../verifies.ts'

const docs = join(packageRoot, 'docs')
const compose = parse(readFileSync(join(packageRoot, 'docker-compose.yml'), 'utf8'), {
  merge: true,
})

verifies('operate.dashboards', 'the files are what the code makes: npm run docs', () => {
  const files = dashboardFiles()
  expect(readdirSync(join(docs, 'dashboards')).sort()).toEqual(Object.keys(files).sort())
  for (const [name, json] of Object.entries(files))
    expect(readFileSync(join(docs, 'dashboards', name), 'utf8')).toBe(json)
})

verifies('operate.dashboards', 'the profile pins versions and publishes on loopback', () => {
  const { prometheus, grafana, jaeger } = compose.services
  for (const { image, profiles, ports = [] } of [prometheus, grafana, jaeger]) {
    expect(image).toMatch(/:v?\d+\.\d+\.\d+$/)
    expect(profiles).toEqual(['observability'])
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  }
  const { datasources } = parse(compose.configs['grafana-datasource'].content)
  const used = Object.values(dashboardFiles()).flatMap((json) => [
    ...json.matchAll(/"uid": "(prometheus)"/g),
  ])
  expect(new Set(used.map(([, uid]) => uid))).toEqual(new Set([datasources[0].uid]))
  expect(datasources[1].url).toBe('http://jaeger:16686')
  const { providers } = parse(compose.configs['grafana-dashboards'].content)
  expect(grafana.volumes).toEqual([`./docs/dashboards:${providers[0].options.path}:ro`])
})

test.skipIf(noPromtool !== undefined)('promtool accepts the Prometheus configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-rails-prometheus-'))
  const file = join(folder, 'prometheus.yml')
  const content = compose.configs.prometheus.content as string
  writeFileSync(file, content.replace('/etc/prometheus/alerts.yml', join(docs, 'alerts.yml')))
  const said = execFileSync('promtool', ['check', 'config', file]).toString()
  rmSync(folder, { recursive: true })
  expect(said).toContain('SUCCESS: 1 rule files found')
})
