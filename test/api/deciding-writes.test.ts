import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { transaction } from '../../activities/store/postgres/db.ts'
import { type LateSubject, lateSubjects } from '../../activities/store/recovery/late-rows.ts'
import { type OperationId, ProblemError } from '../../api/http/client.ts'
import { type AnyOperation, operation } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import { freshKey, openAgentUse, problemOf } from '../support/agent-use.ts'
import { begunTask } from '../support/agreed-task.ts'
import { startComposedTasks } from '../support/composed-tasks.ts'
import {
  exempt,
  type HandledCall,
  handledCalls,
  offendersOf,
  watchWrites,
} from '../support/deciding-writes.ts'
import { sendExample } from '../support/sent-example.ts'
import { fundedWallet } from '../support/wallets.ts'
import { verifies } from '../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let handled: readonly HandledCall[]
const registry: readonly AnyOperation[] = operations

/** The workflow that carries on the rows of each subject, and how the ids of its rows begin. */
const carriers: Readonly<Record<LateSubject, string>> = {
  payout: 'payout po_',
  payment: 'payment',
  task: 'task tk_',
  run: 'run run_',
  callback: 'callback',
  delegation: 'delegation',
  schedule: 'schedule',
  firing: 'workflowFiring',
  invitation: 'invitation',
  key_rotation: 'serviceKeyRotation',
  directory: 'directorySubmission',
  harness: 'harness',
}
/** Started again by the call that needs the result. */
const asked = ['uploadCheck', 'reconcile']

/** Sends the example of every operation, with all credentials that a caller may have. */
async function sendExamples(): Promise<void> {
  const hosts = apis.hosts[0]!
  const scopes = [
    'runs:read',
    'runs:write',
    'wallets:read',
    'wallets:write',
    'signing:use',
  ] as const
  const sender = await openAgentUse(hosts, apis.operator, {
    requested_scopes: [...scopes],
  })
  for (const operation of registry) await sendExample(apis, sender, operation)
}

/** The starts and their payments, which examples alone do not reach. */
async function startRuns(): Promise<void> {
  const buyer = await openAgentUse(apis.hosts[0]!, apis.operator, {
    requested_scopes: ['runs:read', 'runs:write', 'wallets:read', 'wallets:write'],
  })
  const { client } = buyer
  const wallet_id = await fundedWallet(client, 1_000, (id) =>
    buyer.approve('payment_reference', id),
  )
  const paid = buyer.startInput((await buyer.quote()).quote_id)
  expect((await buyer.start({ ...paid, wallet_id })).body).toMatchObject({ challenge: null })
  const { quote_id } = await buyer.quote()
  const unpaid = buyer.startInput(quote_id)
  expect(await problemOf(buyer.start(unpaid))).toMatchObject({ code: 'payment_required' })
  await buyer.pay(quote_id)
  const callback_url = `${apis.config.BASE_URL}/api/demo-receiver?receiver=${freshKey()}`
  const { mode: _mode, ...input } = buyer.startInput((await buyer.quote()).quote_id)
  const bound = { ...input, callback_url, wallet_id, acceptance_criteria: [] }
  await client.call('wallet-run-start' as OperationId, bound as never).catch((error: unknown) => {
    if (!(error instanceof ProblemError)) throw error
  })
  const priced = (await buyer.quote()).quote_id
  await (await (await begunTask(buyer)).agree()).accept({ quote_id: priced })
}

beforeAll(async () => {
  apis = await startComposedTasks({ UPDATE_WAIT_MS: '5000' })
  await sendExamples()
  await startRuns()
  handled = handledCalls()
})
afterAll(() => apis?.stop())

verifies('structure.one-write', 'no handler makes two deciding writes for one call', () => {
  expect(offendersOf(handled)).toEqual([])
  const writers = new Set(
    handled.filter(({ writes }) => writes.length === 1).map(({ operation: id }) => id),
  )
  expect([...writers]).toEqual(
    expect.arrayContaining(['preflight', 'contract-prepare', 'contract-accept', 'start-agent-run']),
  )
  expect(writers.size).toBeGreaterThan(40)
})

verifies('structure.one-write', 'what else it sends wakes a row of the registry', () => {
  const known = [...lateSubjects.flatMap((subject) => carriers[subject].split(' ')), ...asked]
  const hints = new Set(handled.flatMap(({ hints }) => hints))
  expect(hints.size).toBeGreaterThan(0)
  expect([...hints].filter((to) => !known.some((begin) => to.startsWith(begin)))).toEqual([])
})

verifies('structure.one-write', 'a handler that makes two of them is found', async () => {
  const { db } = apis
  const write = () => transaction(db, (tx) => sql`update operators set name = name`.execute(tx))
  const handle = async () => {
    await write()
    await write()
    return { body: {} }
  }
  const twice = operation({
    id: 'twice',
    summary: 'Writes twice.',
    http: { method: 'POST', path: '/api/twice', host: 'base' },
    access: 'public',
    price: null,
    charge: 'after',
    status: [200],
    errors: [],
    idempotency: { kind: 'effect' },
    input: z.strictObject({}),
    output: z.strictObject({}),
    handle,
  } as never) as unknown as AnyOperation
  watchWrites([twice])
  await twice.handle({}, {} as never)
  expect(offendersOf(handledCalls())).toEqual(['twice: update operators; update operators'])
})

verifies('structure.one-write', 'each exemption names an operation', () => {
  const ids = registry.map(({ id }) => id)
  expect(Object.keys(exempt).filter((id) => !ids.includes(id))).toEqual([])
})
