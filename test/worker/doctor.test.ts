import { type ExecFileException, execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../activities/config/package-root.ts'
import { createDatabase } from '../../activities/store/postgres/create-database.ts'
import { createTemporalClient } from '../../temporal/connection.ts'
import { checkGas, checkPayoutWallet } from '../../worker/doctor/chain.ts'
import type { Check } from '../../worker/doctor/check.ts'
import { examine, tableOf } from '../../worker/doctor/examine.ts'
import { checkDisk, checkNode, checkSignatures } from '../../worker/doctor/machine.ts'
import { checkSkew, checkSpace } from '../../worker/doctor/postgres.ts'
import { checkAttributes } from '../../worker/doctor/temporal.ts'
import { layoutOf } from '../../worker/stack/layout.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { eventually } from '../support/agent.ts'
import { newWallet, startChain, type TestChain } from '../support/chain.ts'
import { chainId } from '../support/node-faults.ts'
import { startProxy } from '../support/rpc-proxy.ts'
import { startStack, type TestStack } from '../support/stack.ts'
import { verifies } from '../verifies.ts'

let stack: TestStack
let otherChain: TestChain
let scratch: string
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-doctor-'))
  ;[stack, otherChain] = await Promise.all([startStack(), startChain()])
})
afterAll(async () => {
  await Promise.all([stack?.stop(), otherChain?.stop()])
  rmSync(scratch, { recursive: true, force: true })
})

type Run = { code: number; stdout: string; stderr: string }

function run(program: string, args: string[], env: NodeJS.ProcessEnv, cwd = scratch): Promise<Run> {
  return new Promise((resolve) => {
    const options = { env: { ...env }, cwd, timeout: 30_000 }
    execFile(
      process.execPath,
      [join(packageRoot, 'dist', program), ...args],
      options,
      (error, stdout, stderr) => resolve({ code: exitCodeOf(error), stdout, stderr }),
    )
  })
}

function exitCodeOf(error: ExecFileException | null): number {
  if (error === null) return 0
  return typeof error.code === 'number' ? error.code : -1
}

/** The checks that a test has seen as a fault. */
const broken = new Set<string>()

/** The faults that `examine` finds when these settings differ from those of the stack. */
async function faultsWith(changed: NodeJS.ProcessEnv): Promise<Record<string, Check>> {
  const checks = await examine({ ...stack.env, ...changed })
  for (const check of checks) expect(check.ok || check.remedy !== undefined, check.name).toBe(true)
  const faults = checks.filter((check) => !check.ok)
  for (const { name } of faults) broken.add(name)
  return Object.fromEntries(faults.map((check) => [check.name, check]))
}

function secretFile(name: string, content: unknown): string {
  const path = join(scratch, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), {
    mode: 0o600,
  })
  return path
}

verifies('operate.doctor', 'a working stack has no fault, and the exit code is 0', async () => {
  const { code, stdout } = await run('worker/cli.js', ['doctor'], stack.env)
  expect(stdout).toMatch(/all is well\n$/)
  expect(stdout).not.toContain('FAULT')
  for (const name of [
    'node',
    'package',
    'wallet signatures',
    'disk',
    'port of base_url',
    'port of os_url',
    'signer',
    'TOKEN_KEYS_FILE',
    'signer of the wallets',
    'addresses',
    'postgres and its clock',
    'migrations',
    'database roles',
    'temporal namespace',
    'search attributes',
    'workers on payouts',
    'workers on signing',
    'workers on callbacks',
    'workers on tasks',
    'workers on runs',
    'chain and token',
    'payout wallet',
    'gas wallets',
    'nodes',
  ])
    expect(stdout).toMatch(new RegExp(`^ok +${name} `, 'm'))
  expect(code).toBe(0)
})

verifies(
  'operate.doctor',
  '--json prints every check, and the exit code is 1 on a fault',
  async () => {
    const env = { ...stack.env, TOKEN_KEYS_FILE: '' }
    expect(Object.keys(await faultsWith(env))).toEqual(['TOKEN_KEYS_FILE'])
    const { code, stdout } = await run('worker/cli.js', ['doctor', '--json'], env)
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] }
    expect(ok).toBe(false)
    expect(checks.filter((check) => !check.ok)).toEqual([
      {
        name: 'TOKEN_KEYS_FILE',
        ok: false,
        detail: 'not set',
        remedy: expect.stringContaining('operations.md'),
      },
    ])
    expect(code).toBe(1)
  },
)

verifies('operate.doctor', 'without any configuration it says what to do', async () => {
  const faults = (await examine({ DATA_DIR: scratch })).filter((check) => !check.ok)
  expect(faults).toEqual([
    {
      name: 'configuration',
      ok: false,
      detail: expect.stringContaining('ASSET_CONTRACT_ADDRESS'),
      remedy: expect.stringContaining('npm start'),
    },
  ])
})

verifies(
  'operate.doctor',
  'key files that are readable by others, missing or wrong are named',
  async () => {
    const signing = join(scratch, 'signing-keys.json')
    copyFileSync(layoutOf(stack.dataDirectory).signingKeys, signing)
    chmodSync(signing, 0o644)
    const torn = secretFile('torn.json', `["0x${'ab'.repeat(32)}`)
    const foreign = secretFile('foreign.json', JSON.stringify(newWallet().privateKey))
    const withoutSigner = { SIGNER_SOCKET: '', SIGNER_WALLETS_SOCKET: '' }
    const faults = await faultsWith({
      ...withoutSigner,
      SIGNING_KEYS_FILE: signing,
      PAYOUT_WALLET_KEY_FILE: foreign,
      GAS_WALLET_KEYS_FILE: torn,
    })
    expect(faults['SIGNING_KEYS_FILE']).toMatchObject({
      detail: `${signing} has mode 0644`,
      remedy: `chmod 600 ${signing}`,
    })
    expect(faults['PAYOUT_WALLET_KEY_FILE']?.detail).toContain('another address')
    expect(faults['GAS_WALLET_KEYS_FILE']?.detail).toBe(`${torn}: it cannot be read as JSON`)
    expect(JSON.stringify(faults)).not.toContain('abab')
    expect((await faultsWith(withoutSigner))['SIGNING_KEYS_FILE']?.remedy).toContain(
      'Set SIGNING_KEYS_FILE',
    )
    const missing = await faultsWith({
      ...withoutSigner,
      SIGNING_KEYS_FILE: join(scratch, 'nowhere.json'),
    })
    expect(missing['SIGNING_KEYS_FILE']?.detail).toContain('ENOENT')
    const unreached = await faultsWith({ SIGNER_SOCKET: join(scratch, 'nowhere.sock') })
    expect(unreached['signer']).toMatchObject({
      detail: expect.stringContaining('does not answer'),
      remedy: expect.stringContaining('Start the signer'),
    })
  },
)

verifies(
  'operate.doctor',
  'shared or published addresses and empty wallets are named',
  async () => {
    const gas = newWallet()
    const published = mnemonicToAccount(
      'test test test test test test test test test test test junk',
      {
        addressIndex: 2,
      },
    )
    const elsewhere = await faultsWith({ PAYOUT_WALLET_ADDRESS: gas.address })
    expect(elsewhere['signer of the wallets']).toMatchObject({
      detail: expect.stringContaining(`PAYOUT_WALLET_ADDRESS is ${gas.address}`),
      remedy: 'Give the signer the same PAYOUT_WALLET_ADDRESS.',
    })
    const faults = await faultsWith({
      SIGNER_WALLETS_SOCKET: '',
      PAYOUT_WALLET_KEY_FILE: secretFile('payout.json', JSON.stringify(gas.privateKey)),
      GAS_WALLET_KEYS_FILE: secretFile('gas.json', [gas.privateKey]),
      PAYOUT_WALLET_ADDRESS: gas.address,
      PAY_TO_ADDRESS: published.address,
    })
    expect(faults['addresses']?.detail).toContain('same address')
    expect(faults['addresses']?.detail).toContain('published mnemonic')
    expect(faults['gas wallets']).toMatchObject({
      detail: `${gas.address} can pay for 0 transfers`,
      remedy: `Send ether to ${gas.address}.`,
    })
    expect(faults['payout wallet']).toMatchObject({
      detail: `${gas.address} holds 0 USDC`,
      remedy: 'Fund it with at least 25 USDC.',
    })
  },
)

verifies(
  'operate.doctor',
  'a wrong chain, a wrong contract and a silent chain differ',
  async () => {
    const elsewhere = await faultsWith({ CHAIN_RPC_URL: otherChain.rpcUrl })
    expect(elsewhere['chain and token']?.detail).toContain('no EIP-3009 token')
    const [port = 0] = await findFree(1)
    const silent = await faultsWith({ CHAIN_RPC_URL: `http://127.0.0.1:${port}` })
    expect(silent['chain and token']?.detail).toBe('the chain does not answer')
    expect(silent['payout wallet']?.remedy).toContain('CHAIN_RPC_URL')
    const mainnet = await serve((body) => ({ jsonrpc: '2.0', id: body.id, result: '0x1' }))
    const wrong = await faultsWith({ CHAIN_RPC_URL: mainnet.url })
    expect(wrong['chain and token']?.detail).toBe("the chain's id is 1, not 8453")
    mainnet.close()
  },
)

verifies(
  ['nodes.named', 'health.degraded', 'operate.doctor'],
  'a node that lies is named by doctor and /readyz, and calls continue',
  async () => {
    const liar = await startProxy(stack.rpcUrl, chainId(31337))
    const env = { CHAIN_RPC_URL: `${stack.rpcUrl},${liar.url}/v2/secret` }
    const named = `${liar.url} is a node of chain 31337, not 8453`
    const alone = await fetch(`${stack.baseUrls[0]}/readyz`)
    expect(await alone.json()).toMatchObject({ checks: { nodes: { detail: '1 node answers' } } })
    const faults = await faultsWith(env)
    expect(Object.keys(faults)).toEqual(['nodes'])
    expect(faults['nodes']?.detail).toBe(named)
    const index = await stack.startApi(env)
    for (const query of ['', '?for=payouts']) {
      const answer = await fetch(`${stack.baseUrls[index]}/readyz${query}`)
      const body = (await answer.json()) as { degraded: string[]; checks: unknown }
      expect([answer.status, body.degraded]).toEqual([200, ['nodes']])
      expect(body.checks).toMatchObject({
        chain: { ok: true },
        nodes: { ok: false, detail: named },
      })
    }
    await stack.api(index).stop()
    await liar.close()
  },
)

verifies('operate.doctor', 'unreachable Postgres and missing migrations are named', async () => {
  const [port = 0] = await findFree(1)
  const away = await faultsWith({
    DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/agent_rails`,
  })
  expect(away['postgres and its clock']).toMatchObject({
    detail: expect.stringContaining('ECONNREFUSED'),
  })
  expect(away['migrations']?.remedy).toContain('DATABASE_URL')
  const empty = stack.databaseUrl.replace(/agent_rails$/, 'unmigrated')
  await createDatabase(empty)
  const unmigrated = await faultsWith({ DATABASE_URL: empty })
  expect(Object.keys(unmigrated)).toEqual(['migrations'])
  expect(unmigrated['migrations']?.remedy).toContain('migrate.js')
})

verifies(
  'operate.doctor-roles',
  'missing roles, wrong privileges and a wrong user are named',
  async () => {
    const owner = { DATABASE_URL: stack.databaseUrl }
    const [roles] = (await examine({ ...stack.env, ...owner })).filter(
      ({ name }) => name === 'database roles',
    )
    expect(roles).toMatchObject({
      ok: true,
      detail: 'connected as postgres',
      remedy: expect.stringContaining('roles'),
    })
    const client = new pg.Client({ connectionString: stack.databaseUrl })
    await client.connect()
    try {
      await client.query(
        'grant update on payouts to agent_rails_api; revoke select on payouts from agent_rails_signer',
      )
      const granted = (await faultsWith({}))['database roles']
      expect(granted?.detail).toContain('agent_rails_api may update payouts')
      expect(granted?.detail).toContain('agent_rails_signer may not select payouts')
      expect(granted?.remedy).toContain('migrate.js')
      await client.query(
        'revoke update on payouts from agent_rails_api; grant select on payouts to agent_rails_signer',
      )
      await client.query('alter role agent_rails_reader rename to agent_rails_other')
      expect((await faultsWith({}))['database roles']?.detail).toBe('agent_rails_reader missing')
    } finally {
      await client
        .query('alter role agent_rails_other rename to agent_rails_reader')
        .catch(() => undefined)
      await client.end()
    }
    expect(await faultsWith({})).toEqual({})
  },
)

verifies(
  'operate.doctor',
  'faults of Temporal, its namespace and its queues are named',
  async () => {
    const [port = 0] = await findFree(1)
    const away = await faultsWith({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` })
    expect(away['temporal namespace']?.remedy).toContain('TEMPORAL_ADDRESS')
    const other = await faultsWith({ TEMPORAL_NAMESPACE: 'not-created' })
    expect(other['temporal namespace']?.detail).toBe('there is no namespace not-created')
    const { client, close } = createTemporalClient({
      TEMPORAL_ADDRESS: stack.temporalAddress,
      TEMPORAL_NAMESPACE: 'bare',
      TEMPORAL_API_KEY: '',
      TEMPORAL_TLS: 'off',
    })
    const seconds = 24 * 3600
    await client.workflowService.registerNamespace({
      namespace: 'bare',
      workflowExecutionRetentionPeriod: { seconds: seconds as never },
    })
    await close()
    const bare = await eventually(
      () => faultsWith({ TEMPORAL_NAMESPACE: 'bare' }),
      (faults) => 'search attributes' in faults,
    )
    expect(Object.keys(bare).sort()).toEqual([
      'search attributes',
      'workers on callbacks',
      'workers on payouts',
      'workers on runs',
      'workers on signing',
      'workers on strangers',
      'workers on tasks',
      'workers on transfers',
    ])
    expect(bare['search attributes']?.remedy).toContain(
      '--namespace bare --name State --type Keyword',
    )
    expect(bare['search attributes']?.remedy).toContain('--name NeedsAttention --type Bool')
    expect(bare['workers on signing']?.remedy).toContain('TASK_QUEUES')
  },
)

verifies(
  'operate.doctor',
  'a port that another program uses is named; a free one is fine',
  async () => {
    const other = await serve(() => ({}))
    const [free = 0] = await findFree(1)
    for (const [taken, unused] of [
      ['base', 'os'],
      ['os', 'base'],
    ] as const) {
      const faults = await faultsWith({
        [`${taken.toUpperCase()}_PORT`]: String(other.port),
        [`${unused.toUpperCase()}_PORT`]: String(free),
      })
      const name = `port of ${taken}_url`
      expect(Object.keys(faults)).toEqual([name])
      expect(faults[name]?.detail).toBe(`${other.port} is taken by another program`)
    }
    other.close()
  },
)

verifies(
  'operate.doctor',
  'a full or read-only disk and too many connections are named',
  async () => {
    const reads = `${stack.env['DATABASE_URL']}?options=-c%20default_transaction_read_only%3Don`
    const { 'disk of postgres': disk } = await faultsWith({ DATABASE_URL: reads })
    expect(disk?.detail).toBe('Postgres only reads')
    const greedy = new pg.Client({
      connectionString: stack.databaseUrl,
      application_name: 'agent-rails api, 97 connections, 00000000',
    })
    await greedy.connect()
    const { connections } = await faultsWith({}).finally(() => greedy.end())
    expect(connections?.remedy).toContain('Lower DATABASE_CONNECTIONS')
    const poor = await faultsWith({ PAYOUT_BALANCE_MIN_ATOMIC: String(10 ** 15) })
    expect(poor['minimum balance']?.detail).toMatch(/USDC below the minimum$/)
  },
)

verifies('operate.doctor', 'a stopped log and missing reconciliations are named', async () => {
  const owner = new pg.Client({ connectionString: stack.databaseUrl })
  await owner.connect()
  // A sequencer that hangs keeps its lock.
  await owner.query(`begin; select pg_advisory_xact_lock(hashtextextended('transparency log', 0))`)
  const other = new pg.Client({ connectionString: stack.databaseUrl })
  await other.connect()
  await other.query(
    `insert into log_outbox (entry, queued_at) values (sha256('x'), now() - interval '3 minutes')`,
  )
  await other.query(`create table kept as select name, timestamp from kysely_migration`)
  await other.query(`update kysely_migration set timestamp = '2020-01-01'`)
  const faults = await faultsWith({ RECONCILE_EVERY_MS: '60000' })
  await other.query(
    `update kysely_migration m set timestamp = k.timestamp from kept k where k.name = m.name; drop table kept`,
  )
  await Promise.all([owner.end(), other.end()])
  expect(Object.keys(faults).sort()).toEqual(['reconciliation', 'transparency log'])
  expect(faults['transparency log']?.detail).toMatch(/^stopped: a receipt has waited for 18\d s$/)
  expect(faults['reconciliation']?.remedy).toContain('recover reconcile')
  const isSound = async () => Object.keys(await faultsWith({})).length === 0
  expect(await eventually(isSound, Boolean)).toBe(true)
})

/** Judged by their values below or in tests of their own; the last three are never faults. */
const byValue = ['disk', 'node', 'canary', 'package', 'wallet signatures', 'gas wallet queues']
const informative = ['switches', 'returned money']

verifies(
  'operate.doctor',
  'the table of states has each check, and each is broken here',
  async () => {
    const seen = (await examine({ ...stack.env, PAYOUT_BALANCE_MIN_ATOMIC: '1' })).map(
      ({ name }) => name,
    )
    const table = readFileSync(join(packageRoot, 'docs', 'operations.md'), 'utf8')
      .split('### When a part is away')[1]
      ?.split('###')[0]
    for (const name of seen) {
      const row = name.replace(/^workers on .*/, 'workers on …').replace(/^port of .*/, 'port of …')
      expect(table, name).toContain(`\`${row}\``)
    }
    const unbroken = seen.filter((name) => !broken.has(name))
    expect(unbroken.filter((name) => ![...byValue, ...informative].includes(name))).toEqual([])
  },
)

verifies('operate.doctor', 'every value past its limit is a fault with a remedy', () => {
  const checked = [
    [checkNode('20.19.0'), checkNode('20.18.3'), checkNode('18.20.0')],
    [checkSignatures(true)],
    [checkDisk(1024 ** 3, '/data'), checkDisk(1024 ** 3 - 1, '/data')],
    [checkSpace(3 * 1024 ** 3, 10 * 1024 ** 3), checkSpace(3 * 1024 ** 3 - 1, 10 * 1024 ** 3)],
    [checkSkew(5_000), checkSkew(5_001), checkSkew(-5_001)],
    [checkPayoutWallet(25_000_000n, '0x1'), checkPayoutWallet(24_999_999n, '0x1')],
    [checkGas({ '0x1': 0n, '0x2': 7n }, 7n), checkGas({ '0x1': 6n, '0x2': 0n }, 7n)],
    [checkAttributes('default', {}), checkAttributes('default', { State: 'Keyword' })],
  ]
  for (const [sound, ...faulty] of checked) {
    expect(sound).toMatchObject({ ok: true })
    for (const finding of faulty)
      expect(finding).toMatchObject({ ok: false, remedy: expect.stringMatching(/\S/) })
  }
})

test('signatures without libsecp256k1 are a warning', () => {
  expect(checkSignatures(true)).toEqual({ ok: true, detail: 'verified with libsecp256k1' })
  expect(checkSignatures(false)).toMatchObject({ ok: true, remedy: expect.stringMatching(/\S/) })
})

test('the table has a line for each check and the remedy below a fault', () => {
  const checks = [
    { name: 'disk', ok: true, detail: 'plenty' },
    { name: 'postgres', ok: false, detail: 'ECONNREFUSED', remedy: 'Start it.' },
  ]
  expect(tableOf(checks)).toBe(
    [
      'ok     disk      plenty',
      'FAULT  postgres  ECONNREFUSED',
      '                 → Start it.',
      '',
      '1 fault',
    ].join('\n'),
  )
})

verifies(
  ['local.worthless-signatures', 'local.refuses-real-funds'],
  'API and worker refuse published or shared wallets and a wrong token',
  async () => {
    const [base = 0, os = 0] = await findFree(2)
    const ports = { BASE_PORT: String(base), OS_PORT: String(os) }
    const published = mnemonicToAccount(
      'test test test test test test test test test test test junk',
    ).address
    const shared = secretFile('shared.json', [stack.accounts.treasury.principal.private_key])
    const api = { ...stack.env, ...ports }
    const withPublished = await run('api/server.js', [], { ...api, PAY_TO_ADDRESS: published })
    expect(withPublished).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('published mnemonic'),
    })
    const withoutToken = await run('api/server.js', [], {
      ...api,
      CHAIN_RPC_URL: otherChain.rpcUrl,
    })
    expect(withoutToken).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no EIP-3009 token'),
    })
    const worker = await run('worker/main.js', [], {
      ...stack.env,
      SIGNER_WALLETS_SOCKET: '',
      PAYOUT_WALLET_KEY_FILE: layoutOf(stack.dataDirectory).payoutWalletKey,
      GAS_WALLET_KEYS_FILE: shared,
    })
    expect(worker.stderr).toContain(
      'the gas wallet 1 and the treasury principal are the same address',
    )
    expect(worker.code).toBe(1)
  },
)

/** A little JSON server on 127.0.0.1 that answers every call alike. */
async function serve(answer: (body: { id: number }) => unknown) {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer(text === '' ? { id: 0 } : JSON.parse(text))))
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, close: () => server.close() }
}
