import { execFile, execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { openRail, type Rail } from '../../support/agent.ts'
import { openAgentUse } from '../../support/agent-use.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { testCache } from '../../support/test-cache.ts'
import { verifies } from '../../verifies.ts'

const packages = ['mcp==2.3.0', 'x402[evm]==2.25.0']
const venv = join(testCache, 'python-mcp-2.3.0')
const python = join(venv, 'bin', 'python')

/** Why the packages cannot be installed here; undefined where they are. */
const missing = ((): string | undefined => {
  const done = join(venv, 'installed')
  if (existsSync(done)) return undefined
  try {
    execFileSync('python3', ['-m', 'venv', venv], { stdio: 'pipe' })
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...packages], { stdio: 'pipe' })
    writeFileSync(done, packages.join('\n'))
    return undefined
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error)
  }
})()
if (missing !== undefined)
  console.warn(`Python's MCP client is not tested, because it cannot be installed: ${missing}`)

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({ env: { SWEEP_GRACE_MS: '200', SWEEP_EVERY_MS: '500' } })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

type Bought = {
  tools: number
  was_asked_to_pay: boolean
  settlement: { success: boolean; payer: string } | null
  runs: string[]
}

describe.skipIf(missing !== undefined)('the client of Python', () => {
  verifies(
    ['mcp.payment', 'mcp.versions'],
    'buys a run in the current version, and repeats it in a former one',
    async () => {
      const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
      const agent = await openAgentUse(hosts, stack.accounts.operator.credential)
      const { quote_id, total_usd } = await agent.quote()
      const { mode: _mode, ...start } = agent.startInput(quote_id)
      const price = BigInt(total_usd) * 1_000_000n
      const { address, privateKey } = await rail.openAgent({ tokens: 2n * price })
      const asked = {
        url: `${hosts.base}/api/mcp`,
        credential: agent.credential,
        private_key: privateKey,
        asset: rail.asset,
        start,
      }
      const buy = (mode: string) => bought({ ...asked, mode })
      const first = await buy('auto')
      expect(first).toMatchObject({
        was_asked_to_pay: true,
        settlement: { success: true, payer: address },
      })
      expect(new Set(first.runs).size).toBe(1)
      const second = await buy('legacy')
      expect(second).toMatchObject({
        tools: first.tools,
        was_asked_to_pay: false,
        runs: first.runs,
      })
      expect(await rail.balance(address)).toBe(price)
    },
    120_000,
  )
})

/** What the program prints; it fails with what it wrote to its standard error. */
async function bought(asked: object): Promise<Bought> {
  const program = fileURLToPath(new URL('mcp-buyer.py', import.meta.url))
  const running = promisify(execFile)(python, [program], { timeout: 100_000 })
  running.child.stdin?.end(JSON.stringify(asked))
  return JSON.parse((await running).stdout) as Bought
}
