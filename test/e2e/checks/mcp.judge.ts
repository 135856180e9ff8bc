import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Listener } from '../../../api/http/listen.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { serveFixture } from './mcp-fixture/serve.ts'

/** The official conformance suite, and the Node that it needs. */
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const NODE = 'node@22.23.3'

const cache = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'agent-rails',
  'mcp-conformance-0.2.0-alpha.12',
)
const node = join(cache, 'node_modules', 'node', 'bin', 'node')
const suite = join(cache, 'node_modules', '.bin', 'conformance')

/** What needs none of the tools that the suite names, and so is asked of the service itself. */
const ofService: Record<string, readonly string[]> = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
}
const ofTasks = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
]

let apis: ComposedApis
let fixture: Listener
const results = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
beforeAll(async () => {
  obtainSuite()
  apis = await startComposed({ env: { LIMIT_ADDRESS_PER_MINUTE: '1000000' } })
  fixture = await serveFixture()
})
afterAll(async () => {
  summarize()
  await fixture?.stop(0)
  await apis?.stop()
  rmSync(results, { recursive: true, force: true })
})

const serviceUrl = () => `${apis.hosts[0]?.base}/api/mcp`
const fixtureUrl = () => `http://127.0.0.1:${fixture.port}/api/mcp`

for (const [revision, scenarios] of Object.entries(ofService)) {
  test(`the service passes what needs no fixture of ${revision}`, async () => {
    for (const scenario of scenarios) {
      const named = ['--scenario', scenario, '--spec-version', revision]
      expect(await judge(`service ${revision}`, serviceUrl(), named), scenario).toBe(0)
    }
    expect(failedIn(`service ${revision}`)).toEqual([])
  })

  test(`its endpoint with the tools of the suite meets ${revision}`, async () => {
    const failures = fileURLToPath(new URL(`mcp-failures-${revision}.yml`, import.meta.url))
    const named = ['--requirements', revision, '--expected-failures', failures]
    expect(await judge(`fixture ${revision}`, fixtureUrl(), named)).toBe(0)
  })
}

test('its endpoint with the tools of the suite serves tasks', async () => {
  for (const scenario of ofTasks) {
    const named = ['--scenario', scenario, '--force']
    expect(await judge('tasks', fixtureUrl(), named), scenario).toBe(0)
  }
  expect(failedIn('tasks')).toEqual([])
})

function summarize(): void {
  for (const kind of readdirSync(results)) {
    const passed = checksIn(kind).filter(({ status }) => status === 'SUCCESS').length
    console.log(`${kind}: ${passed} checks passed, ${failedIn(kind).length} not`)
  }
}

/** Runs the suite and keeps its results; its exit status. */
const judge = (kind: string, url: string, named: string[]) =>
  run(node, [suite, 'server', '--url', url, ...named, '--output-dir', join(results, kind)])

type Check = { id: string; status: string }

const checksIn = (kind: string): Check[] =>
  readdirSync(join(results, kind)).flatMap(
    (scenario) =>
      JSON.parse(readFileSync(join(results, kind, scenario, 'checks.json'), 'utf8')) as Check[],
  )

const failedIn = (kind: string): string[] =>
  checksIn(kind).flatMap(({ id, status }) =>
    status === 'FAILURE' || status === 'WARNING' ? [id] : [],
  )

/** npm runs the install script of the package `node` only where allowed. */
function obtainSuite(): void {
  if (existsSync(node) && existsSync(suite)) return
  mkdirSync(cache, { recursive: true })
  writeFileSync(
    join(cache, 'package.json'),
    JSON.stringify({ private: true, allowScripts: { node: true } }),
  )
  const args = ['install', '--no-audit', '--no-fund', '--no-save', NODE, SUITE]
  const { status } = spawnSync('npm', args, { cwd: cache, stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm could not install ${SUITE}`)
}

/** Runs a program to its end with its output shown; its exit status. */
const run = (command: string, args: string[]) =>
  new Promise<number | null>((resolve, reject) => {
    const child = spawn(command, args, { cwd: cache, stdio: 'inherit' })
    child.on('error', reject)
    child.on('close', resolve)
  })
