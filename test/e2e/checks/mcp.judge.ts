import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'

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

let apis: ComposedApis
beforeAll(async () => {
  obtainSuite()
  apis = await startComposed({ env: { LIMIT_ADDRESS_PER_MINUTE: '1000000' } })
})
afterAll(() => apis?.stop())

for (const revision of ['2025-11-25', '2026-07-28'])
  test(`the conformance suite finds revision ${revision} on the endpoint`, async () => {
    const url = `${apis.hosts[0]?.base}/api/mcp`
    const failures = fileURLToPath(new URL(`mcp-failures-${revision}.yml`, import.meta.url))
    const named = ['--requirements', revision, '--expected-failures', failures]
    expect(await run(node, [suite, 'server', '--url', url, ...named])).toBe(0)
  })

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
