import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { createClient } from '../../../api/http/client.ts'
import { examine } from '../../../worker/doctor/examine.ts'
import type { Payout } from '../../../worker/stack/treasury.ts'
import { type Agent, openRail, post, type Rail } from '../../support/agent.ts'
import { expectExecutedOnce, insist, readiness, refusalOf } from '../../support/faults.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({
    runWorkers: 0,
    apis: 2,
    workers: 2,
    env: { CONFIRM_WINDOW_MS: '500', CHAIN_POLL_MS: '100', EXECUTE_WAIT_MS: '4000' },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const execute = (agent: Agent, { payout_id }: Payout) =>
  agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })

let commands = 0
type Act = {
  scope: 'service' | 'payouts' | 'wallet' | 'payout'
  target?: string
  paused: boolean
  reason?: string
}
const bodyOf = (act: Act) => ({
  reason: 'a look at the books',
  idempotency_key: `act-${commands++}`,
  ...act,
})
const operator = () => ({ Authorization: `Bearer ${stack.accounts.operator.credential}` })
const setPause = (body: object) =>
  post(`${stack.baseUrls[0]}/api/os-security-hardening`, body, operator())
async function set(act: Act) {
  const { status, body } = await setPause(bodyOf(act))
  expect({ status, body }).toMatchObject({ status: 200, body: { control: { paused: act.paused } } })
  return body as {
    affected: { payouts: number }
    control: { changed_at: string }
    receipt: { jws: string }
  }
}

/** Offline, by nothing but the published keys. */
async function verified(jws: string): Promise<Record<string, unknown>> {
  const keys = (await (
    await fetch(`${stack.baseUrls[0]}/.well-known/jwks.json`)
  ).json()) as JSONWebKeySet
  const { payload } = await jwtVerify(jws, createLocalJWKSet(keys), {
    issuer: `${stack.baseUrls[0]}/api/trust-contract`,
    typ: 'receipt+jwt',
    algorithms: ['EdDSA'],
  })
  return payload
}

async function cli(...args: string[]): Promise<string> {
  const program = join(packageRoot, 'dist', 'worker', 'cli.js')
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    env: stack.env,
  })
  return stdout
}

verifies(
  ['switches.scopes', 'switches.signed'],
  'each switch stops its payouts before a reservation or charge',
  async () => {
    const [agent, other] = await Promise.all([rail.openAgent(), rail.openAgent()])
    const [payout, others] = await Promise.all([rail.authorized(agent), rail.authorized(other)])
    const switches: Omit<Act, 'paused'>[] = [
      { scope: 'payout', target: payout.payout_id },
      { scope: 'wallet', target: agent.address },
      { scope: 'payouts' },
      { scope: 'service' },
    ]
    for (const one of switches) {
      const { affected, receipt } = await set({ ...one, paused: true })
      expect(affected.payouts).toBeGreaterThan(0)
      const refusal = await refusalOf(execute(agent, payout))
      expect(refusal).toMatchObject({
        status: 503,
        code: 'paused',
        retryable: true,
        money_moved: 'no',
      })
      expect(refusal.detail).toContain('a look at the books')
      expect(await verified(receipt.jws)).toMatchObject({
        kind: 'control_change',
        scope: one.scope,
        target: one.target ?? null,
        paused: true,
        reason: 'a look at the books',
        operator_name: expect.stringMatching(/\S/),
        at: expect.stringMatching(/Z$/),
      })
      const checked = await fetch(`${stack.baseUrls[0]}/api/verify-receipt?receipt=${receipt.jws}`)
      expect(await checked.json()).toMatchObject({
        verified: true,
        kind: 'control_change',
        stored: true,
      })
      if (one.scope === 'wallet')
        await expectExecutedOnce(rail, (await insist(() => execute(other, others))).body)
      await set({ ...one, paused: false })
    }
    expect(await rail.db.selectFrom('transfers').select('payout_id').execute()).toEqual([
      { payout_id: others.payout_id },
    ])
    const calls = rail.db
      .selectFrom('calls')
      .select(['grant_state', 'funding'])
      .where('subject', '=', payout.payout_id)
    expect(await calls.where('operation', '=', 'payout-execute').execute()).toEqual([])
    await expectExecutedOnce(rail, (await insist(() => execute(agent, payout))).body)
  },
)

verifies(
  'switches.idempotent',
  'a repeated switch is one change and needs an operator',
  async () => {
    const body = bodyOf({ scope: 'wallet', target: `0x${'12'.repeat(20)}`, paused: true })
    const answers = await Promise.all(Array.from({ length: 8 }, () => setPause(body)))
    const [first] = answers
    expect(first?.status).toBe(200)
    for (const answer of answers) expect(answer.body).toEqual(first?.body)
    const history = rail.db
      .selectFrom('control_changes')
      .selectAll()
      .where('target', '=', body.target as string)
    expect(await history.execute()).toHaveLength(1)
    expect(await setPause({ ...body, paused: false })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_conflict' },
    })
    const url = `${stack.baseUrls[0]}/api/os-security-hardening`
    expect(await post(url, body)).toMatchObject({
      status: 401,
      body: { code: 'operator_required' },
    })
    for (const [change, status, code] of [
      [{ target: '0x12' }, 400, 'invalid_request'],
      [{ scope: 'payout', target: `po_${'0'.repeat(64)}` }, 404, 'not_found'],
      [{ scope: 'agent' }, 400, 'invalid_request'],
      [{ reason: '' }, 400, 'invalid_request'],
    ] as const) {
      const answer = await setPause({ ...bodyOf({ scope: 'wallet', paused: true }), ...change })
      expect(answer).toMatchObject({ status, body: { code } })
    }
    expect(await history.execute()).toHaveLength(1)
    await set({ scope: 'wallet', target: body.target as string, paused: false })
  },
)

verifies(
  'switches.ordered',
  '20 executes race a pause, and nothing is reserved after it',
  async () => {
    const wallets = await Promise.all(
      Array.from({ length: 10 }, (_, api) => rail.openAgent({ api: api % 2 })),
    )
    const agents = [...wallets, ...wallets]
    const payouts = await Promise.all(agents.map((agent) => rail.authorized(agent)))
    const racing = payouts.map((payout, index) =>
      execute(agents[index] as Agent, payout).then(
        () => 'accepted',
        (error: { problem?: { code: string } }) => error.problem?.code,
      ),
    )
    const ids = payouts.map(({ payout_id }) => payout_id)
    const reserved = () =>
      rail.db
        .selectFrom('transfers')
        .select(['payout_id', 'reserved_at'])
        .where('payout_id', 'in', ids)
        .orderBy('reserved_at')
        .execute()
    while ((await reserved()).length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    const { control } = await set({ scope: 'payouts', paused: true })
    const atPause = await reserved()
    const outcomes = await Promise.all(racing)
    expect(await reserved()).toEqual(atPause)
    for (const { reserved_at } of atPause)
      expect(reserved_at.getTime()).toBeLessThanOrEqual(Date.parse(control.changed_at))
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(atPause.length)
    expect(outcomes.filter((outcome) => outcome === 'paused')).toHaveLength(20 - atPause.length)
    expect(atPause.length).toBeLessThan(20)
    await set({ scope: 'payouts', paused: false })
    for (const [index, payout] of payouts.entries())
      await expectExecutedOnce(
        rail,
        (await insist(() => execute(agents[index] as Agent, payout))).body,
      )
  },
)

verifies(
  ['switches.cli', 'switches.shown'],
  'a pause by the command line is shown everywhere; the service is ready',
  async () => {
    const name = (await rail.db.selectFrom('operators').select('name').executeTakeFirstOrThrow())
      .name
    const act = JSON.parse(
      await cli('pause', 'service', '--reason', 'night shift', '--operator', name, '--json'),
    )
    expect(act).toMatchObject({
      control: { scope: 'service', target: null, paused: true, operator: { name } },
    })
    expect(await verified(act.receipt.jws)).toMatchObject({
      operator_name: name,
      reason: 'night shift',
    })
    expect(await cli('pauses')).toContain('night shift')
    const [url] = stack.baseUrls
    const text = async (path: string) =>
      (await fetch(`${url}${path}`, { headers: { Accept: 'text/html' } })).text()
    expect(await readiness(stack)).toMatchObject({ status: 200, ok: true, down: [] })
    expect(await text('/readyz')).toContain('paused: everything (night shift)')
    expect(await text('/')).toContain('New payouts are paused: everything (night shift)')
    expect(await text('/metrics')).toMatch(/^agent_rails_pauses 1$/m)
    const switches = (await examine(stack.env)).find((check) => check.name === 'switches')
    expect(switches).toEqual({
      name: 'switches',
      ok: true,
      detail: 'paused: everything (night shift)',
    })

    const { credential } = stack.accounts.operator
    await cli('resume', 'service', '--reason', 'morning', '--operator', credential)
    expect(await cli('pauses')).toContain('nothing is paused')
    expect(await cli('pauses', '--history')).toMatch(/morning[\s\S]*night shift/)
    expect(await text('/')).not.toContain('New payouts are paused')
    for (const wrong of [
      ['pause', 'service', '--reason', 'r', '--operator', 'unknown'],
      ['pause', 'payouts', '0x12', '--reason', 'r', '--operator', name],
      ['pause', 'everything', '--reason', 'r', '--operator', name],
    ])
      await expect(cli(...wrong)).rejects.toMatchObject({ code: 1 })
    expect(await cli('pauses')).toContain('nothing is paused')
  },
)

verifies('switches.idempotent', 'the typed client pauses as an operator does', async () => {
  const client = createClient({
    baseUrl: stack.baseUrls[0] as string,
    operator: stack.accounts.operator.credential,
  })
  const { body } = await client.call('pause-set', {
    scope: 'payouts',
    paused: false,
    reason: 'r',
    idempotency_key: 't',
  })
  expect(body).toMatchObject({
    control: { scope: 'payouts', paused: false },
    affected: { tasks: 0 },
  })
})
