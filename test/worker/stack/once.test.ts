import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { type LedgerEntry, verifyLedger } from '#domain/tasks/ledger.ts'
import type { AccountsFile } from '../../../worker/stack/embedded.ts'
import { freePortBase } from '../../support/port-base.ts'
import { verifies } from '../../verifies.ts'

type Summary = {
  payout: Record<string, unknown>
  receipts: string[]
  jwks: JSONWebKeySet
  transaction: string
  workflow_ids: string[]
  timings_ms: Record<string, number>
  task: { task_id: string; state: string; usage: string; rail: string }
  ledger: LedgerEntry[]
  run: {
    run_id: string
    state: string
    task_token: string
    proof_hash: string
    settlement_receipt_id: string
  }
  return_package: { return_package_id: string; proof_hash: string; result: Record<string, unknown> }
  replay: { verdict: string; checks: { check: string; ok: boolean; detail: string }[] }
}

const data = mkdtempSync(join(tmpdir(), 'agent-rails-once-'))
const program = join(import.meta.dirname, '..', '..', '..', 'dist', 'worker', 'stack.js')
const once = () =>
  promisify(execFile)(process.execPath, [program, '--once'], {
    env: { ...process.env, DATA_DIR: data, PORT_BASE: String(portBase) },
  })
const json = <T>(...path: string[]): T => JSON.parse(readFileSync(join(data, ...path), 'utf8')) as T
let portBase: number
let said: string

beforeAll(async () => {
  portBase = await freePortBase()
  said = (await once()).stdout
})
afterAll(() => rmSync(data, { recursive: true, force: true }))

verifies(
  ['stack.once', 'payout.create.created', 'client.typed', 'client.comes-back'],
  'npm start -- --once drives a payout through a crash to its final block',
  () => {
    const summary = json<Summary>('demo', 'summary.json')
    expect(Object.keys(summary)).toEqual([
      'payout',
      'receipts',
      'jwks',
      'transaction',
      'workflow_ids',
      'timings_ms',
      'task',
      'ledger',
      'run',
      'return_package',
      'replay',
    ])
    expect(summary.payout).toMatchObject({
      state: 'executed',
      environment: 'local',
      transfer: { status: 'final', transaction_hash: summary.transaction },
    })
    expect(summary.workflow_ids).toEqual([summary.payout['payout_id']])
    expect(said).toMatch(/paid in 0x[0-9a-f]{64}/)
    expect(said).toContain('was killed with its execute under way')
  },
)

verifies(
  'receipt.jws',
  'every receipt of the summary verifies with its key set alone',
  async () => {
    const { receipts, jwks } = json<Summary>('demo', 'summary.json')
    const keys = createLocalJWKSet(jwks)
    const kinds = []
    for (const receipt of receipts)
      kinds.push(
        (await jwtVerify(receipt, keys, { typ: 'receipt+jwt', algorithms: ['EdDSA'] })).payload[
          'kind'
        ],
      )
    expect(kinds).toEqual([
      'payout_created',
      'payout_authorized',
      'payout_executed',
      'payout_final',
    ])
  },
)

verifies('stack.once-task', 'the same start drives a task from its invoice to its replay', () => {
  const { task, ledger, run, return_package, replay, timings_ms } = json<Summary>(
    'demo',
    'summary.json',
  )
  expect(task).toMatchObject({ state: 'closed', usage: 'operational', rail: 'tokenops' })
  expect(verifyLedger(task.task_id, ledger)).toMatchObject({ ok: true })
  expect(ledger.map(({ event }) => event)).toEqual(
    expect.arrayContaining([
      'trust_granted',
      'credit_funded',
      'enqueued',
      'result_attested',
      'callback_delivered',
    ]),
  )
  expect(run).toMatchObject({ state: 'closed', proof_hash: return_package.proof_hash })
  expect(return_package.result).toHaveProperty('total_cost_minor')
  expect(replay).toMatchObject({ verdict: 'proven' })
  expect(replay.checks.find(({ check }) => check === 'replay')).toMatchObject({ ok: true })
  expect(timings_ms['task']).toBeGreaterThan(0)
  for (const line of [
    'trusted',
    'preflight',
    'contract',
    'credit',
    'run',
    'result',
    'callback',
    'attested',
    'replayed',
  ])
    expect(said).toMatch(new RegExp(`\\] ${line} `))
})

verifies(
  'execute.key-secrecy',
  'no private key is in a log, a workflow history or the database',
  () => {
    const accounts = json<AccountsFile>('demo', 'accounts.json')
    const { principal, holder } = accounts.treasury
    const signingKeys = readFileSync(join(data, 'keys', 'signing-keys.json'), 'utf8')
    const secrets = [
      principal.private_key,
      holder.private_key,
      ...accounts.agents.map((agent) => agent.private_key),
      json<string>('keys', 'payout-wallet.json'),
      ...json<string[]>('keys', 'gas-wallets.json'),
      ...Array.from(signingKeys.matchAll(/"d": ?"([^"]+)"/g), ([, d = '']) => d),
      accounts.operator.credential.split('_')[2] ?? '',
      json<Summary>('demo', 'summary.json').run.task_token,
    ].map((secret) => secret.replace(/^0x/, ''))
    expect(secrets.length).toBeGreaterThan(9)
    const places = ['logs', 'temporal', 'postgres'].flatMap((folder) =>
      filesUnder(join(data, folder)),
    )
    for (const file of places) {
      const bytes = readFileSync(file)
      for (const secret of secrets)
        expect(bytes.includes(secret), `${file} holds a secret`).toBe(false)
    }
  },
)

verifies(
  'stack.second-start',
  'a second start continues with the same accounts, keys and chain',
  async () => {
    const before = json<AccountsFile>('demo', 'accounts.json')
    const first = json<Summary>('demo', 'summary.json')
    await once()
    expect(json<AccountsFile>('demo', 'accounts.json')).toEqual(before)
    const second = json<Summary>('demo', 'summary.json')
    expect(second.jwks.keys.map((key) => key.x)).toEqual(first.jwks.keys.map((key) => key.x))
    expect(second.payout['payout_id']).not.toBe(first.payout['payout_id'])
  },
)

function filesUnder(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
