import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import { createClient, executePayout } from '../../../clients/typescript/src/index.ts'
import type { AccountsFile } from '../../../worker/stack/embedded.ts'
import { openPayingAgent } from '../../../worker/stack/paying-agent.ts'
import { dollarTokenAbi, localChainClient } from '../../../worker/stack/token.ts'
import { openTreasury } from '../../../worker/stack/treasury.ts'
import { freePortBase } from '../../support/port-base.ts'
import { verifies } from '../../verifies.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const data = mkdtempSync(join(tmpdir(), 'agent-rails-starts-'))
const base = await freePortBase()
// Vitest has a BASE_URL of its own.
const { BASE_URL: _viteBase, ...inherited } = process.env
const env = { ...inherited, DATA_DIR: data, PORT_BASE: String(base) }
const json = <T>(...path: string[]): T => JSON.parse(readFileSync(join(data, ...path), 'utf8')) as T
const baseUrl = `http://127.0.0.1:${base}`
let first: Start
const started: Start[] = []

type Start = { child: ChildProcess; said: () => string; ended: Promise<number | null> }

/** `npm start` without npm; `up` waits until it says that Ctrl-C ends it. */
function start(...args: string[]): Start {
  const child = spawn(process.execPath, [join(root, 'dist', 'worker', 'stack.js'), ...args], {
    env,
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const one = { child, said: () => text, ended }
  started.push(one)
  return one
}

async function up(one: Start): Promise<Start> {
  let code: number | null | undefined
  void one.ended.then((status) => (code = status))
  while (!one.said().includes('Ctrl-C stops everything')) {
    if (code !== undefined) throw new Error(`it ended with ${code}:\n${one.said()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return one
}

async function stop({ child, ended }: Start): Promise<number | null> {
  if (child.exitCode === null) child.kill('SIGINT')
  return ended
}

const agentRails = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(root, 'dist', 'worker', 'cli.js'), ...args], { env })
const isReady = async () => (await fetch(`${baseUrl}/readyz`)).status === 200

async function setToken(functionName: 'pause' | 'unpause'): Promise<void> {
  const { CHAIN_RPC_URL, ASSET_CONTRACT_ADDRESS: address } =
    json<Record<string, `0x${string}`>>('environment.json')
  const { tokenOwner } = json<{ tokenOwner: { private_key: `0x${string}` } }>(
    'keys',
    'chain-accounts.json',
  )
  const owner = localChainClient(String(CHAIN_RPC_URL), tokenOwner.private_key)
  const hash = await owner.writeContract({ address: address!, abi: dollarTokenAbi, functionName })
  await owner.waitForTransactionReceipt({ hash })
}

/** Pays until the daily cap has no room for another demo. */
async function fillCap(): Promise<void> {
  const accounts = json<AccountsFile>('demo', 'accounts.json')
  const { asset } = (await createClient({ baseUrl }).call('trust-contract', {})).body.payout
  const operator = accounts.operator.credential
  const treasury = openTreasury({ baseUrl, origin: baseUrl, accounts: accounts.treasury, operator })
  const privateKey = accounts.agents[1]!.private_key
  const { client } = openPayingAgent({
    baseUrl,
    origin: baseUrl,
    privateKey,
    asset: asset as `0x${string}`,
  })
  for (const amount_usdc of ['25', '25', '25', '24.95']) {
    const idempotency_key = crypto.randomUUID()
    const terms = {
      amount_usdc,
      idempotency_key,
      memo: '',
      rail_reference: 'cap',
      recipient: accounts.agents[2]!.address,
    }
    const { payout } = (await client.call('payout-create', terms)).body
    const expiresAt = Math.floor(Date.now() / 1000) + 3600
    const authorization = await treasury.authorize(payout, {
      expiresAt,
      idempotencyKey: `${idempotency_key}-a`,
    })
    await client.call('payout-authorize', authorization)
    await executePayout(client, {
      payout_id: payout.payout_id,
      idempotency_key: `${idempotency_key}-e`,
    })
  }
}

// One data folder and one start after the other, as a user would have it over a day.
beforeAll(async () => {
  first = await up(start())
})
afterAll(async () => {
  await Promise.all(started.map(stop))
  rmSync(data, { recursive: true, force: true })
})

verifies('start.demo-once', 'the demo runs at the first start only', async () => {
  expect(first.said()).toMatch(/\] summary /)
  expect(first.said()).toContain(': 0.05 USDC')
  await fillCap()
  await agentRails('pause', 'payouts', '--reason', 'maintenance', '--operator', 'demo')
  await setToken('pause')
  expect(await stop(first)).toBe(130)
  const second = await up(start())
  expect(second.said()).toContain('keeps what it has: EnforcedPause')
  expect(second.said()).not.toMatch(/\] (created|demo) /)
  expect(await isReady()).toBe(true)
  await agentRails('resume', 'payouts', '--reason', 'done', '--operator', 'demo')
  await stop(second)
})

verifies('start.stays-up', 'a demo that cannot run says why in one line', async () => {
  const paused = await up(start('--demo'))
  expect(paused.said().match(/\] demo +stopped: .+\n/g)).toHaveLength(1)
  expect(await isReady()).toBe(true)
  await setToken('unpause')
  await agentRails('pause', 'payouts', '--reason', 'maintenance', '--operator', 'demo')
  await stop(paused)
  const held = await up(start('--demo'))
  expect(held.said()).toMatch(/\] demo +stopped: paused: .*maintenance\n/)
  expect(await isReady()).toBe(true)
  await agentRails('resume', 'payouts', '--reason', 'done', '--operator', 'demo')
  await stop(held)
  const capped = await up(start('--demo'))
  expect(capped.said()).toMatch(/\] demo +stopped: daily_cap_exceeded: .+\n/)
  expect(await isReady()).toBe(true)
  await stop(capped)
})

verifies(
  'start.stays-up',
  'with --once a demo that cannot run ends with an exit code of its own',
  async () => {
    const once = start('--once')
    expect(await once.ended).toBe(1)
    expect(once.said()).toMatch(/\] demo +stopped: daily_cap_exceeded: .+\n/)
    for (const part of ['api', 'worker', 'temporal', 'postgres', 'chain'])
      expect(once.said()).toMatch(new RegExp(`\\] ${part} is stopped`))
  },
)
