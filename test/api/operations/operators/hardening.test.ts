import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { logOrigin } from '#domain/log/origin.ts'
import type { HardeningControl } from '#domain/production/hardening.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { sequence } from '../../../../activities/log/sequencer.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { COUNTED_MAX } from '../../../../activities/store/postgres/rows.ts'
import { readHardening } from '../../../../activities/store/production/hardening.ts'
import { createClient } from '../../../../api/http/client.ts'
import { operations } from '../../../../api/operations/index.ts'
import { createHardening } from '../../../../api/registry/hardening.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ sequences: false })
})
afterAll(() => apis?.stop())

const controlOf = async (name: HardeningControl) => {
  const { body } = await createClient({ baseUrl: apis.hosts[0]!.base }).call('hardening-read', {})
  return body.controls.find(({ control }) => control === name)
}
const becomes = (name: HardeningControl, wanted: object) =>
  expect.poll(() => controlOf(name)).toMatchObject(wanted)

verifies('production.hardening-bounded', 'a reading counts no more than 1,000', async () => {
  const { db } = apis
  const planned = (query: string) =>
    transaction(db, async (tx) => {
      await sql`set local enable_seqscan = off`.execute(tx)
      const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${sql.raw(query)}`.execute(tx)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
  const counted = transaction(db, async (tx) => {
    await sql`insert into provider_events (provider, event_id, type, external_reference, amount_cents, currency)
      select 'many', 'evt_' || n, 'payment.failed', 'ref_' || n, 100, 'usd' from generate_series(1, 1100) n`.execute(
      tx,
    )
    expect((await readHardening(tx)).events).toBe(COUNTED_MAX)
    throw new Error('undone')
  })
  await expect(counted).rejects.toThrow('undone')
  const begun = `select task_id from tasks where usage = 'operational' and run_id is not null
    order by created_at desc limit 1000`
  expect(await planned(begun)).toMatch(/Index Scan using tasks_begun/)
  const open = `select work_order_id from work_orders where exchange_until is not null
    and decision = 'approve' and created_at > now() - interval '30 days'
    order by created_at desc, work_order_id limit 25`
  expect(await planned(open)).toMatch(/work_orders_open/)
  const listed = `select trust_listing_id from trust_listings where review_state = 'approved'
    order by listed_at desc limit 1000`
  expect(await planned(listed)).toMatch(/trust_listings_review/)
})

verifies('switches.work', 'an operator pauses a rail and an agent over HTTP', async () => {
  const hosts = apis.hosts[0]!
  const operator = createClient({ baseUrl: hosts.base, operator: apis.operator })
  const agent = await openAgentUse(hosts, apis.operator)
  const asked = { rail: 'packetops', tier: 'entry' } as const
  const set = (scope: 'rail' | 'agent', target: string, paused: boolean) =>
    operator.call('pause-set', {
      scope,
      target,
      paused,
      reason: 'a bad day',
      idempotency_key: freshKey(),
    })
  for (const [scope, target] of [
    ['rail', 'packetops'],
    ['agent', agent.registered.agent.agent_id],
  ] as const) {
    const { body } = await set(scope, target, true)
    expect(body).toMatchObject({
      control: { scope, target, paused: true },
      affected: { payouts: 0 },
      receipt: { kind: 'control_change' },
    })
    const refused = await problemOf(agent.client.call('agent-quote', asked))
    expect(refused).toMatchObject({ code: 'paused', detail: 'paused: a bad day' })
    await set(scope, target, false)
    expect((await agent.client.call('agent-quote', asked)).status).toBe(200)
  }
  expect(await problemOf(set('agent', `agt_${'0'.repeat(64)}`, true))).toMatchObject({
    code: 'not_found',
  })
})

verifies('switches.offered', 'a paused rail is nowhere offered as running', async () => {
  const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
  const set = (paused: boolean) =>
    operator.call('pause-set', {
      scope: 'rail',
      target: 'packetops',
      paused,
      reason: 'a bad day',
      idempotency_key: freshKey(),
    })
  const shown = async () => {
    const prices = (await operator.call('agent-pricing', { rail: 'packetops' })).body
    const asked = { mode: 'inspect_service', service_id: 'svc_packetops' } as const
    const { checks, decision } = (await operator.call('inspect-service', asked)).body
    const available = checks.find(({ check }) => check === 'available')
    return [prices.rails[0]?.status, decision, available?.detail]
  }
  expect(await shown()).toEqual(['active', 'allowed', 'it runs today'])
  await set(true)
  expect(await shown()).toEqual(['paused', 'denied', 'it is paused'])
  await becomes('pauses', { detail: 'paused: rail packetops' })
  await set(false)
  expect(await shown()).toEqual(['active', 'allowed', 'it runs today'])
  await becomes('pauses', { detail: 'nothing is paused' })
})

verifies('production.hardening', 'settings, registry and records change the answer', async () => {
  const { db, config } = apis
  const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
  expect(await controlOf('webhook_verification')).toMatchObject({ state: 'off' })
  expect(await controlOf('key_age')).toMatchObject({ state: 'on', read: ['signing_keys'] })
  expect(await controlOf('pauses')).toMatchObject({ state: 'on', detail: 'nothing is paused' })
  expect(await controlOf('legal_terms')).toMatchObject({ state: 'on' })
  const pause = (paused: boolean) =>
    operator.call('pause-set', {
      scope: 'payouts',
      paused,
      reason: 'an incident',
      idempotency_key: freshKey(),
    })
  await pause(true)
  await becomes('pauses', { state: 'on', detail: 'paused: payouts' })

  await becomes('log_checkpoint_age', { state: 'off' })
  const keys = loadKeyRings(config.SIGNING_KEYS_FILE)
  await sequence({ db, keys, origin: logOrigin(config.BASE_URL) })
  await becomes('log_checkpoint_age', { state: 'on' })
  await pause(false)
  await sql`alter table log_outbox disable trigger user`.execute(db)
  await sql`update log_outbox set queued_at = queued_at - interval '2 minutes'`.execute(db)
  await becomes('log_checkpoint_age', { state: 'stale' })

  await sql`alter table signing_keys disable trigger user`.execute(db)
  await sql`update signing_keys set revoked_at = clock_timestamp() where ring = 'receipt'`.execute(
    db,
  )
  await becomes('key_age', { state: 'off', detail: 'no key signs in: receipt' })
  await sql`update operators set revoked_at = clock_timestamp()`.execute(db)
  await becomes('pauses', { state: 'off' })

  const other = createHardening({
    db,
    config: { ...config, LIMIT_AGENT_PER_MINUTE: 1_000_000 },
    registry: operations.map((operation) =>
      operation.id === 'start-agent-run'
        ? { ...operation, needs: undefined, input: z.strictObject({}) }
        : operation,
    ) as never,
  })
  const { controls } = await other.read()
  expect(controls.filter(({ state }) => state === 'off').map(({ control }) => control)).toEqual(
    expect.arrayContaining(['rate_limits', 'legal_terms', 'credential_enforcement']),
  )
})
