import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRail, type Rail } from '../../support/agent.ts'
import type { TestWallet } from '../../support/chain.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { openSigningProxy, type SigningProxy } from './signing-proxy.ts'

const VERSION = '4.32.5'
/** Calls that each operation gets from the fuzzer: about three minutes in all. */
const EXAMPLES = 400

const cache = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'agent-rails',
  `schemathesis-${VERSION}`,
)
const program = join(cache, 'bin', 'schemathesis')
const settings = fileURLToPath(new URL('schemathesis.toml', import.meta.url))
const unlimited = {
  LIMIT_ADDRESS_PER_MINUTE: '1000000',
  LIMIT_WALLET_PER_MINUTE: '1000000',
  LIMIT_FAILED_CREDENTIALS_PER_MINUTE: '1000000',
  FREE_GRANTS_PER_ADDRESS_PER_DAY: '1000000',
  FREE_GRANTS_PER_DAY: '1000000',
}

let stack: TestStack
let rail: Rail
let proxy: SigningProxy
let scratch: string
const creators = new Map<string, TestWallet>()
beforeAll(async () => {
  await obtainSchemathesis()
  scratch = await mkdtemp(join(tmpdir(), 'agent-rails-check-'))
  stack = await startStack({ env: unlimited })
  rail = await openRail(stack)
  for (const _ of Array(3)) {
    const agent = await rail.openAgent()
    creators.set((await rail.authorized(agent)).payout_id, agent)
  }
  proxy = await openSigningProxy({
    target: stack.baseUrls[0]!,
    operator: stack.accounts.operator.credential,
    creators,
  })
})
afterAll(async () => {
  await proxy?.stop()
  await rail?.stop()
  await stack?.stop()
  if (scratch !== undefined) await rm(scratch, { recursive: true, force: true })
})

test('schemathesis finds that each answer fits the OpenAPI document', async () => {
  const config = join(scratch, 'schemathesis.toml')
  await writeFile(config, `${await readFile(settings, 'utf8')}${dictionaries()}`)
  const args = [
    '--config-file',
    config,
    '--no-color',
    'run',
    `${proxy.url}/openapi.json`,
    '--url',
    proxy.url,
  ]
  const phases = [
    '--phases',
    'examples,coverage,fuzzing',
    '--max-examples',
    String(EXAMPLES),
    '--continue-on-failure',
  ]
  expect(await run(program, [...args, ...phases], scratch)).toBe(0)
})

/** Values that no generator guesses: the treasury's holder, and payouts that may be executed. */
function dictionaries(): string {
  const values = {
    holders: [stack.accounts.treasury.holder.address],
    payouts: [...creators.keys()],
  }
  return Object.entries(values)
    .map(([name, known]) => `\n[dictionaries.${name}]\nvalues = ${JSON.stringify(known)}\n`)
    .join('')
}

/** A virtual environment of its own in the user's cache, made once. */
async function obtainSchemathesis(): Promise<void> {
  if (existsSync(program)) return
  await mkdir(cache, { recursive: true })
  const made = await run('python3', ['-m', 'venv', cache])
  const installed =
    made === 0
      ? await run(join(cache, 'bin', 'pip'), ['install', '-q', `schemathesis==${VERSION}`])
      : made
  if (installed !== 0)
    throw new Error(
      `schemathesis ${VERSION} cannot be installed; it needs python3 with venv and pip`,
    )
}

/** Runs a program that prints where this one prints; its exit code. */
function run(file: string, args: string[], cwd?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'inherit', cwd })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
