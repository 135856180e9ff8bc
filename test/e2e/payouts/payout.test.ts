import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { payoutId as payoutIdOf } from '#domain/core/ids.ts'
import type { InputOf } from '../../../api/http/client.ts'
import {
  type Agent,
  eventually,
  nowSeconds,
  openRail,
  post,
  proofOf,
  type Rail,
  type RawAnswer,
} from '../../support/agent.ts'
import { newWallet } from '../../support/chain.ts'
import { runCli } from '../../support/cli.ts'
import {
  broadcast,
  chainRecord,
  claimsOf,
  expectExecutedOnce,
  insist,
  refusalOf,
  restart,
} from '../../support/faults.ts'
import { within } from '../../support/slowness.ts'
import { operatorOf, startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'
import { measureLogDelay } from '../bench/log-delay.ts'

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({
    runWorkers: 0,
    apis: 2,
    workers: 2,
    env: { CHAIN_POLL_MS: '100', LIMIT_WALLET_PER_MINUTE: '10000' },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const execute = (agent: Agent, payoutId: string, key = 'execute') =>
  insist(() => agent.client.call('payout-execute', { payout_id: payoutId, idempotency_key: key }))

/** A client of the same wallet for each API process. */
async function effectsOnBoth(tokens = 0n): Promise<[Agent, Agent]> {
  const first = await rail.openAgent({ tokens })
  return [first, await rail.openAgent({ tokens, api: 1, wallet: first })]
}

/** One raw call of the wallet with a fresh proof. */
async function send({ account, baseUrl }: Agent, path: string, body: unknown): Promise<RawAnswer> {
  return post(baseUrl + path, body, await proofOf(account, stack.baseUrls[0] as string, path, body))
}

const callsOf = ({ address }: Agent) =>
  rail.db.selectFrom('calls').selectAll().where('caller', '=', `wallet:${address}`).execute()

async function runsOf(workflowId: string): Promise<number> {
  const list = async () => {
    let runs = 0
    for await (const _ of rail.temporal.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
      runs += 1
    return runs
  }
  return eventually(list, (runs) => runs > 0)
}

verifies(
  ['payout.create.idempotent', 'payout.id.derivation', 'x402.one-effect', 'calls.repeats-at-once'],
  '50 identical creates in parallel make one payout with one fee',
  async () => {
    const agents = await effectsOnBoth(10_000_000n)
    const [{ address }] = agents
    await rail.useUpFreeCalls(address)
    const terms = rail.terms()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        insist(() => (agents[index % 2] as Agent).client.call('payout-create', terms)),
      ),
    )
    const bodies = new Set(answers.map(({ body }) => JSON.stringify(body)))
    expect(bodies.size).toBe(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const id = payoutIdOf(address, terms.idempotency_key)
    expect(answers[0]?.body.payout).toMatchObject({
      payout_id: id,
      state: 'created',
      creator: address,
    })
    const rows = await rail.db
      .selectFrom('payouts')
      .select('payout_id')
      .where('creator', '=', address)
      .execute()
    expect(rows).toEqual([{ payout_id: id }])
    expect(await runsOf(id)).toBe(1)
    expect(
      (await callsOf(agents[0])).filter(({ operation }) => operation === 'payout-create'),
    ).toHaveLength(1)
    expect(await rail.balance(address)).toBe(20_000_000n - 100_000n)
  },
)

/** What the rows of a payout take, in bytes. */
async function bytesOf(payoutId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select sum(bytes)::int as bytes from (
    select pg_column_size(p.*) as bytes from payouts p where payout_id = ${payoutId}
    union all select pg_column_size(c.*) from calls c where subject = ${payoutId}
    union all select pg_column_size(n.*) from proof_nonces n join calls c using (call_id) where c.subject = ${payoutId}
    union all select pg_column_size(r.*) from receipts r where subject = ${payoutId}
  ) stored`.execute(rail.db)
  return rows[0]?.bytes ?? Number.NaN
}

verifies(
  'payout.small',
  'an unused payout is small, and continues without its workflow',
  async () => {
    const agent = await rail.openAgent()
    const terms = rail.terms()
    const create = () => agent.client.call('payout-create', terms)
    const created = (await create()).body
    const { payout_id } = created.payout
    expect(await bytesOf(payout_id)).toBeLessThanOrEqual(3 * 1024)
    await rail.temporal.workflow.getHandle(payout_id).terminate('it was idle')

    const { body } = await agent.client.call('payout-status', { payout_id })
    expect(body).toEqual(created)
    expect((await create()).body).toEqual(created)
    const until = { expiresAt: nowSeconds() + 3600, idempotencyKey: 'authorize' }
    await agent.client.call(
      'payout-authorize',
      await rail.treasury.authorize(created.payout, until),
    )
    expect((await create()).body).toEqual(created)
    await expectExecutedOnce(rail, (await execute(agent, payout_id)).body)
    expect((await create()).body).toEqual(created)
  },
)

verifies(
  'payout.create.conflict',
  'other terms under the same key are 422 and change nothing',
  async () => {
    const agents = await effectsOnBoth()
    const one = rail.terms({ amount_usdc: '1' })
    const other = { ...one, amount_usdc: '2' }
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        send(agents[index % 2] as Agent, '/api/payout-create', index % 4 < 2 ? one : other),
      ),
    )
    const created = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status === 422)
    expect([created.length, refused.length]).toEqual([20, 20])
    expect(new Set(created.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    for (const { body } of refused)
      expect(body).toMatchObject({ code: 'idempotency_conflict', money_moved: 'no' })
    const stored = () =>
      rail.db.selectFrom('payouts').selectAll().where('creator', '=', agents[0].address).execute()
    const before = await stored()
    expect(before).toHaveLength(1)
    const lost = before[0]?.amount_atomic === '1000000' ? other : one
    expect((await send(agents[1], '/api/payout-create', lost)).body).toMatchObject({
      code: 'idempotency_conflict',
    })
    expect(await stored()).toEqual(before)
    expect(await callsOf(agents[0])).toHaveLength(1)
  },
)

verifies(
  'payout.create.same-amount-text',
  '1, 1.0 and 1.00 to one recipient are one payout and one charge',
  async () => {
    const agent = await rail.openAgent()
    const recipient = newWallet().account.address
    const terms = rail.terms({ recipient, amount_usdc: '1.0' })
    const first = await agent.client.call('payout-create', terms)
    const second = await agent.client.call('payout-create', { ...terms, amount_usdc: '1.00' })
    const third = await agent.client.call('payout-create', {
      ...terms,
      amount_usdc: '1',
      recipient: recipient.toLowerCase(),
    })
    expect([second.body, third.body]).toEqual([first.body, first.body])
    expect([first.replayed, second.replayed, third.replayed]).toEqual([false, true, true])
    expect(first.body.payout).toMatchObject({ amount_usdc: '1', amount_atomic: '1000000' })
    expect(await callsOf(agent)).toHaveLength(1)
  },
)

verifies(
  [
    'payout.create.cap',
    'payout.create.zero-amount',
    'payout.create.recipient-refused',
    'charge.only-success',
  ],
  'amounts over the cap, zero and our own addresses are refused',
  async () => {
    const agent = await rail.openAgent()
    const refusal = (more: Parameters<Rail['terms']>[0]) =>
      send(agent, '/api/payout-create', rail.terms(more))
    expect(await refusal({ amount_usdc: '25.000001' })).toMatchObject({
      status: 422,
      body: { code: 'payout_cap_exceeded', errors: [{ pointer: '/amount_usdc' }] },
    })
    for (const amount_usdc of ['0', '0.0', '0.000000']) {
      expect(await refusal({ amount_usdc })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/amount_usdc' }] },
      })
    }
    const ours = [
      rail.asset,
      stack.env['PAYOUT_WALLET_ADDRESS'],
      stack.env['PAY_TO_ADDRESS'],
      stack.accounts.treasury.principal.address,
      stack.accounts.treasury.holder.address,
      `0x${'0'.repeat(40)}`,
    ]
    for (const recipient of ours as string[]) {
      expect(await refusal({ recipient })).toMatchObject({
        status: 422,
        body: { code: 'recipient_refused', errors: [{ pointer: '/recipient' }] },
      })
    }
    expect((await callsOf(agent)).filter(({ grant_state }) => grant_state !== 'released')).toEqual(
      [],
    )
    expect((await rail.create(agent, { amount_usdc: '25' })).amount_atomic).toBe('25000000')
  },
)

verifies(
  ['execute.once', 'execute.executed', 'execute.confirmed-by-logs', 'binding.v2'],
  '100 executes in parallel over two APIs make one transfer',
  async () => {
    const agents = await effectsOnBoth()
    const { payout_id, payout_wallet } = await rail.authorized(agents[0], {}, { bindingVersion: 2 })
    const before = await rail.balance(payout_wallet)
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        send(agents[index % 2] as Agent, '/api/payout-execute', {
          payout_id,
          idempotency_key: index < 50 ? 'execute' : `execute-${index}`,
        }),
      ),
    )
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200])
    const [first, ...others] = new Set(answers.map(({ body }) => JSON.stringify(body)))
    expect(others).toEqual([])
    await expectExecutedOnce(rail, JSON.parse(first as string))
    expect(await rail.balance(payout_wallet)).toBe(before - 1_000_000n)
    const calls = await callsOf(agents[0])
    expect(calls.map(({ operation, funding }) => [operation, funding]).sort()).toEqual([
      ['payout-authorize', 'free'],
      ['payout-create', 'free'],
      ['payout-execute', 'free'],
    ])
    expect(await runsOf(payout_id)).toBe(1)
  },
)

verifies(
  [
    'binding.v1',
    'receipt.per-transition',
    'receipt.chain',
    'receipt.jws',
    'receipt.verify',
    'execute.final',
    'verify.chain',
    'payout.terms.digest',
  ],
  'a payout with binding 1 becomes final and its receipts verify',
  async () => {
    const agent = await rail.openAgent()
    const { payout_id } = await rail.authorized(
      agent,
      { amount_usdc: '0.5' },
      { bindingVersion: 1 },
    )
    await execute(agent, payout_id)
    const status = async () => (await agent.client.call('payout-status', { payout_id })).body
    const { payout, receipts, receipt } = await eventually(
      status,
      ({ payout }) => payout.transfer.status === 'final',
      8000,
      1500,
    )
    expect(payout).toMatchObject({
      state: 'executed',
      amount_usdc: '0.5',
      transfer: { status: 'final' },
    })
    expect(receipt).toBe(receipts.at(-1))
    const kinds = ['payout_created', 'payout_authorized', 'payout_executed', 'payout_final']
    expect(receipts.map((jws) => claimsOf(jws)['kind'])).toEqual(kinds)
    const keys = (await (
      await fetch(`${stack.baseUrls[0]}/.well-known/jwks.json`)
    ).json()) as JSONWebKeySet
    const { hash } = await chainRecord(rail, payout)
    for (const [index, jws] of receipts.entries()) {
      const verified = await compactVerify(jws, createLocalJWKSet(keys), { algorithms: ['EdDSA'] })
      expect(verified.protectedHeader).toMatchObject({ alg: 'EdDSA', typ: 'receipt+jwt' })
      const claims = JSON.parse(new TextDecoder().decode(verified.payload))
      expect(claims).toMatchObject({
        iss: `${stack.baseUrls[0]}/api/trust-contract`,
        sub: payout_id,
        payout_id,
        recipient: payout.recipient,
        amount_atomic: '500000',
        usage: 'synthetic',
        environment: 'local',
        terms_sha256: payout.terms_sha256,
        prev: index === 0 ? null : sha256Hex(receipts[index - 1] as string),
      })
      expect(claims.mandate_ref).toBe(index === 0 ? undefined : payout.mandate_ref)
      expect(claims.transaction_hash).toBe(index < 2 ? undefined : hash)
      const receipt_id = `rc_${sha256Hex(jws)}`
      const check = async (query: InputOf<'verify-receipt'>) =>
        (await agent.client.call('verify-receipt', query)).body
      expect(await check({ receipt: jws })).toMatchObject({
        verified: true,
        stored: true,
        kind: kinds[index],
      })
      const { payload_sha256, ...byId } = await check({ receipt_id })
      expect(byId).toMatchObject({ verified: true, receipt_id })
      expect(await check({ payload_sha256: payload_sha256 as string })).toMatchObject({
        verified: true,
        receipt_id,
      })
    }
    const [head, , signature] = (receipts[0] as string).split('.')
    const forged = `${head}.${(receipts[1] as string).split('.')[1]}.${signature}`
    const { body } = await agent.client.call('verify-receipt', { receipt: forged })
    expect(body).toMatchObject({ verified: false, signature: { valid: false } })
    await expectOfflineVerdicts(receipts, keys)
  },
)

verifies('log.delay', 'a receipt is in the signed log within a second', async () => {
  const operator = operatorOf(stack)
  for (let left = 60; left > 0; left -= 1) await operator.call('keys-list', {})
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 })
  const { receipts, p50_ms } = await measureLogDelay(pool).finally(() => pool.end())
  expect(receipts).toBeGreaterThan(30)
  expect(p50_ms).toBeLessThan(within(1_000))
})

/** The command line comes to the same from files, and finds the transfer on the chain and the receipt in the log. */
async function expectOfflineVerdicts(receipts: string[], keys: object): Promise<void> {
  const keysFile = join(stack.dataDirectory, 'saved-keys.json')
  writeFileSync(keysFile, JSON.stringify(keys))
  const file = (index: number) => join(stack.dataDirectory, `receipt-${index}.jws`)
  const verdicts = receipts.map(async (jws, index) => {
    writeFileSync(file(index), jws)
    const asked = ['--chain', stack.rpcUrl, '--log', stack.baseUrls[0] as string]
    const args = [file(index), '--keys', keysFile, ...asked, '--json']
    const { code, out } = await runCli({}, 'verify', ...args)
    const { verdict, checks, log_state } = JSON.parse(out)
    return [code, verdict, checks.at(-2).detail, log_state]
  })
  const found = expect.stringMatching(/^its transfer is in block \d+$/)
  const none = 'it names no transfer'
  expect(await Promise.all(verdicts)).toEqual(
    [none, none, found, found].map((d) => [0, 'valid', d, 'included']),
  )
}

verifies(
  ['payout.creator-only', 'status.creator', 'status.by-either', 'status.exactly-one'],
  'the creator alone finds a payout, by its id and by its create key',
  async () => {
    const [owner, stranger] = [await rail.openAgent(), await rail.openAgent({ api: 1 })]
    const terms = rail.terms()
    const { payout_id } = await rail.create(owner, terms)
    const { idempotency_key } = terms
    const byId = await owner.client.call('payout-status', { payout_id })
    const byKey = await owner.client.call('payout-status', { idempotency_key })
    expect(byKey.body).toEqual(byId.body)
    for (const body of [{ payout_id, idempotency_key }, {}])
      expect(await send(owner, '/api/payout-status', body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', errors: [{ pointer: '' }] },
      })
    const input = await rail.treasury.authorize(byId.body.payout, {
      expiresAt: nowSeconds() + 600,
      idempotencyKey: 'authorize',
    })
    const unknown = `po_${'0'.repeat(64)}`
    const without = ({ request_id, trace_id, ...body }: Record<string, unknown>) => body
    const calls: [string, Record<string, unknown>][] = [
      ['/api/payout-authorize', input],
      ['/api/payout-execute', { payout_id, idempotency_key: 'execute' }],
      ['/api/payout-status', { payout_id }],
    ]
    for (const [path, body] of calls) {
      const answer = await send(stranger, path, body)
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
      const unheard = await send(stranger, path, { ...body, payout_id: unknown })
      expect(without(answer.body)).toEqual(without(unheard.body))
    }
    expect(await send(stranger, '/api/payout-status', { idempotency_key })).toMatchObject({
      status: 404,
    })
    expect(
      (await callsOf(stranger)).filter(({ grant_state }) => grant_state !== 'released'),
    ).toEqual([])
    expect((await owner.client.call('payout-authorize', input)).body.payout.state).toBe(
      'authorized',
    )
  },
)

verifies(
  ['execute.wrong-state', 'execute.expired', 'payout.state.table', 'authorize.retry'],
  'an event out of order is 409, and an execute near its expiry is 410',
  async () => {
    const agent = await rail.openAgent()
    const created = await rail.create(agent)
    const early = await refusalOf(
      agent.client.call('payout-execute', {
        payout_id: created.payout_id,
        idempotency_key: 'execute',
      }),
    )
    expect(early).toMatchObject({
      status: 409,
      code: 'wrong_state',
      state: 'created',
      allowed_events: ['authorize'],
    })
    const terms = { expiresAt: nowSeconds() + 60, idempotencyKey: 'authorize' }
    const input = await rail.treasury.authorize(created, terms)
    const second = await rail.treasury.authorize(created, { ...terms, idempotencyKey: 'second' })
    const authorized = await agent.client.call('payout-authorize', input)
    expect(authorized.body.payout).toMatchObject({
      state: 'authorized',
      expires_at: terms.expiresAt,
    })
    const again = await agent.client.call('payout-authorize', input)
    expect([again.replayed, again.body]).toEqual([true, authorized.body])
    expect(
      await refusalOf(agent.client.call('payout-authorize', { ...input, expires_at: 5 })),
    ).toMatchObject({
      status: 422,
      code: 'idempotency_conflict',
    })
    expect(await refusalOf(agent.client.call('payout-authorize', second))).toMatchObject({
      status: 409,
      code: 'wrong_state',
      state: 'authorized',
      allowed_events: ['execute'],
    })
    const { payout_id } = created
    await eventually(
      async () => terms.expiresAt - nowSeconds(),
      (left) => left < 30,
    )
    expect(
      await refusalOf(
        agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' }),
      ),
    ).toMatchObject({ status: 410, code: 'payout_expired', money_moved: 'no' })
    expect((await agent.client.call('payout-status', { payout_id })).body).toEqual(authorized.body)
    const live = (await callsOf(agent)).filter(({ grant_state }) => grant_state !== 'released')
    expect(live.map(({ operation }) => operation).sort()).toEqual([
      'payout-authorize',
      'payout-create',
      'payout-status',
    ])
  },
)

// The last test: it fills the day's cap of this stack.
verifies(
  'execute.daily-cap',
  'eight payouts of 19 USDC in parallel never exceed the daily cap',
  async () => {
    const agents = await Promise.all(
      Array.from({ length: 8 }, (_, index) => rail.openAgent({ api: index % 2 })),
    )
    const payouts = await Promise.all(
      agents.map((agent) => rail.authorized(agent, { amount_usdc: '19' })),
    )
    const inUse = async () => {
      const rows = await rail.db
        .selectFrom('transfers')
        .select(['amount_atomic', 'status'])
        .execute()
      return rows
        .filter(({ status }) => status !== 'dead')
        .reduce((sum, row) => sum + BigInt(row.amount_atomic), 0n)
    }
    const spentBefore = await inUse()
    const fitting = Number((100_000_000n - spentBefore) / 19_000_000n)
    const answers = await Promise.all(
      agents.map((agent, index) =>
        send(agent, '/api/payout-execute', {
          payout_id: payouts[index]?.payout_id,
          idempotency_key: 'execute',
        }),
      ),
    )
    const refused = answers.filter(({ status }) => status === 409)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(fitting)
    expect(refused).toHaveLength(8 - fitting)
    for (const { headers, body } of refused) {
      expect(body).toMatchObject({ code: 'daily_cap_exceeded', money_moved: 'no' })
      const ms = body['retry_after_ms'] as number
      expect(ms).toBeGreaterThan(0)
      expect(ms).toBeLessThanOrEqual(24 * 3600 * 1000)
      expect(Number(headers.get('retry-after'))).toBe(Math.ceil(ms / 1000))
    }
    expect(await inUse()).toBe(spentBefore + BigInt(fitting) * 19_000_000n)
    const held = await Promise.all(payouts.map(({ recipient }) => rail.balance(recipient)))
    expect(held.reduce((sum, atomic) => sum + atomic, 0n)).toBe(BigInt(fitting) * 19_000_000n)
    const payer = await rail.openAgent({ tokens: 1_000_000n })
    await rail.useUpFreeCalls(payer.address)
    const { payout_id } = await rail.authorized(payer, { amount_usdc: '25' })
    const call = payer.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })
    expect(await refusalOf(call)).toMatchObject({ status: 409, code: 'daily_cap_exceeded' })
    expect(await rail.balance(payer.address)).toBe(800_000n)
    const small = await rail.authorized(agents[0] as Agent, { amount_usdc: '1' })
    await expectExecutedOnce(rail, (await execute(agents[0] as Agent, small.payout_id)).body)
  },
)

verifies(
  'durable.kill-worker',
  'both workers killed right after broadcast: executed and charged once',
  async () => {
    const agent = await rail.openAgent({ tokens: 1_000_000n })
    await rail.useUpFreeCalls(agent.address)
    const { payout_id } = await rail.authorized(agent)
    const workers = [stack.worker(0), stack.worker(1)]
    const answer = execute(agent, payout_id)
    await broadcast(rail, payout_id)
    await Promise.all(workers.map((worker) => worker.kill('SIGKILL')))
    await Promise.all(workers.map(restart))
    await expectExecutedOnce(rail, (await answer).body)
    expect(await rail.balance(agent.address)).toBe(1_000_000n - 300_000n)
  },
)
