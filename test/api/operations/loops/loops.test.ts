import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { railOf } from '#domain/rails/index.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import { checkedLink } from '../../../../activities/store/credit/product-links.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { verifies } from '../../../verifies.ts'

type Start = InputOf<'loop-start'>
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let units = 0
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  agent = await openAgentUse(apis.hosts[0]!, apis.operator, {
    rails: ['packetops', 'tokenops', 'scout', 'contractops'],
    requested_scopes: ['runs:read', 'runs:write'],
  })
})
afterAll(() => apis?.stop())

const loopOf = (rail: Start['rail'], more: Partial<Start> = {}): Start => ({
  rail,
  tier: 'standard',
  input: railOf(rail).sandboxInput as Start['input'],
  on_gaps: 'report',
  accept_terms: true,
  idempotency_key: freshKey(),
  ...more,
})
const start = (input: Start) => agent.client.call('loop-start', input)
const pattern = async (rail?: Start['rail']) => {
  const { body } = await createClient({ baseUrl: apis.hosts[0]!.base }).call(
    'loops-read',
    rail === undefined ? {} : { rail },
  )
  if (!('pattern' in body)) throw new Error('the pattern was expected')
  return body
}

verifies(
  'loop.free',
  'a free run needs no quote; reviewed, it goes through all steps',
  async () => {
    const input = loopOf('scout')
    const { body } = await start(input)
    expect(body).toMatchObject({ challenge: null, run: { state: 'credit_funded', rail: 'scout' } })
    const { run_id, task_id, quote_id } = body.run
    expect((await start(input)).body.run).toMatchObject({ run_id, quote_id })
    expect((await pattern()).live.review_step).toBe(0)
    await agent.approve('task', task_id)
    const waits = async () => (await agent.status(run_id, 5_000)).waiting_for
    await expect.poll(waits).toEqual(['review'])
    // The live counts change with the runs, by rail too.
    expect((await pattern()).live.review_step).toBe(1)
    expect((await pattern('scout')).live.review_step).toBe(1)
    expect((await pattern('packetops')).live.review_step).toBe(0)
    await agent.approve('loop_step', run_id)
    const state = async () => (await agent.status(run_id, 5_000)).state
    await expect.poll(state).toBe('closed')
    expect((await pattern()).live.review_step).toBe(0)
    const read = (await agent.client.call('loops-read', { run_id })).body
    if (!('run' in read)) throw new Error('a run was expected')
    expect(read.run.loop.steps.map(({ step }) => step)).toEqual(loopSteps)
    const digests = read.run.loop.steps.map(({ output_sha256 }) => output_sha256)
    for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/)
    const other = await openAgentUse(apis.hosts[0]!, apis.operator)
    expect(await problemOf(other.client.call('loops-read', { run_id }))).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  },
)

verifies('loop.start', 'a paid run of any current rail waits for its payment', async () => {
  const asked = { rail: 'tokenops', tier: 'standard', idempotency_key: freshKey() } as const
  const { quote_id, total_usd } = (await agent.client.call('agent-quote', asked)).body.quote
  const input = loopOf('tokenops', { quote_id })
  const unpaid = await problemOf(start(input))
  expect(unpaid).toMatchObject({ status: 402, challenge: { amount_usd: total_usd } })
  expect(unpaid).toMatchObject({ resource: { url: expect.stringContaining('operating-loops') } })
  const writes = await apis.db
    .selectFrom('production_writes')
    .select(['operation_id', 'rail', 'passed'])
    .where('operation_id', '=', 'loop-start')
    .where('rail', '=', 'tokenops')
    .execute()
  expect(writes).toEqual([{ operation_id: 'loop-start', rail: 'tokenops', passed: true }])
  expect(await problemOf(start({ ...input, tier: 'pro' }))).toMatchObject({
    code: 'idempotency_conflict',
  })
})

verifies('loop.card', 'the stage of the card follows its page and pauses', async () => {
  const buyer = await openAgentUse(apis.hosts[0]!, apis.operator)
  const { quote_id, total_usd } = await buyer.quote('diligenceops')
  const { payment_reference_id } = await buyer.pay(quote_id)
  await buyer.approve('payment_reference', payment_reference_id)
  const { mode: _mode, rail, ...input } = buyer.startInput(quote_id, 'diligenceops')
  const started = await buyer.client.call('diligence-loop-start', {
    ...input,
    usage: 'operational',
  })
  const { run_id } = started.body.run
  const card = async () => {
    const { body } = await buyer.client.call('diligence-loop-read', { run_id })
    return 'run' in body ? body.stages[0] : undefined
  }
  const own = expect.stringContaining('/api/agent-rail-checkout?rail=diligenceops')
  const sells = { stage: 'product_card', state: 'done', evidence_id: own }
  expect(started.body.stages[0]).toEqual(sells)
  const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
  const url = 'https://127.0.0.1/p/diligence'
  const page = { rail, tier: 'standard', url, provider_price_usd: total_usd } as const
  const set = { ...page, idempotency_key: freshKey() }
  const { receipt } = (await operator.call('payment-links-set', set)).body
  expect(await card()).toEqual({ ...sells, state: 'held' })
  // As a look at a page that answers leaves it.
  await checkedLink(apis.db, receipt.receipt_id, 'live')
  expect(await card()).toEqual({ ...sells, evidence_id: url })
  const pause = (paused: boolean) => {
    const asked = { scope: 'service', paused, reason: 'a test' } as const
    return operator.call('pause-set', { ...asked, idempotency_key: freshKey() })
  }
  await pause(true)
  expect(await card()).toEqual({ ...sells, state: 'held', evidence_id: url })
  await pause(false)
  expect(await card()).toMatchObject({ state: 'done' })
})

verifies('loop.refused', 'no start of a future rail, without a quote, or paid twice', async () => {
  const refused = async (input: Start) => {
    const { status, code } = await problemOf(start(input))
    return [status, code]
  }
  expect(await refused(loopOf('contractops'))).toEqual([403, 'rail_not_allowed'])
  expect(await refused(loopOf('packetops'))).toEqual([400, 'invalid_request'])
  const quote_id = `qt_${'0'.repeat(64)}`
  expect(await refused(loopOf('scout', { quote_id }))).toEqual([400, 'invalid_request'])
  const wallet_id = `aw_${'0'.repeat(64)}`
  expect(await refused(loopOf('scout', { wallet_id }))).toEqual([400, 'invalid_request'])
  expect(await refused(loopOf('energyops'))).toEqual([403, 'rail_not_allowed'])
  expect((await pattern()).current_rails).not.toContain('contractops')
  expect((await pattern()).future_rail).toBe('contractops_discovery')
})

verifies(
  'loop.manifest',
  'the manifest of a packet comes at once and follows its input',
  async () => {
    const { rail: _rail, ...packet } = loopOf('packetops')
    const begin = async (input: Start['input'], more: { manifest_only?: boolean } = {}) => {
      const { quote_id } = await agent.quote('packetops', ++units)
      const asked = { ...packet, input, quote_id, usage: 'synthetic' as const, ...more }
      return agent.client.call('packet-loop-start', { ...asked, idempotency_key: freshKey() })
    }
    const { body } = await begin(packet.input)
    const items = packet.input['items'] as Record<string, unknown>[]
    expect(body).toMatchObject({ run: { rail: 'packetops' }, manifest: { state: 'provisional' } })
    expect(body.manifest?.items).toHaveLength(items.length)
    const less = (await begin({ ...packet.input, items: items.slice(1) })).body.manifest
    expect(less?.merkle_root).not.toBe(body.manifest?.merkle_root)
    const { run_id } = body.run
    const read = async () => {
      const { body } = await agent.client.call('packet-loop-read', { run_id })
      return 'run' in body ? body.manifest : undefined
    }
    await expect.poll(read).toEqual({ ...body.manifest, state: 'final' })

    const digested = items.map(({ name, section }) => ({ name, section, sha256: 'a'.repeat(64) }))
    const only = { manifest_only: true }
    const sealed = (await begin({ ...packet.input, items: digested }, only)).body.manifest
    expect(sealed?.items.map(({ digest }) => digest)).toEqual(items.map(() => 'claimed'))
    expect(await problemOf(begin(packet.input, only))).toMatchObject({
      status: 422,
      code: 'input_rejected',
      errors: expect.arrayContaining([
        { pointer: '/input/items/0/content', message: 'is content' },
      ]),
    })
    const described = (await agent.client.call('packet-loop-read', {})).body
    if (!('required_sections' in described)) throw new Error('the contract was expected')
    expect(described.required_sections.soc2_evidence_packet.length).toBeGreaterThan(10)
  },
)

verifies(
  'loop.audit',
  'the audit pack follows the decisions, and its signature its digest',
  async () => {
    const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
    const pack = async (asked: InputOf<'loop-audit-pack'> = {}) =>
      (await operator.call('loop-audit-pack', asked)).body
    const before = await pack()
    const { run_id, task_id } = (await start(loopOf('scout'))).body.run
    await agent.approve('task', task_id)
    const after = await pack()
    expect(after.total).toBe(before.total + 1)
    expect(after.pack_sha256).not.toBe(before.pack_sha256)
    expect(after.decisions[0]).toMatchObject({ subject_id: task_id, decision: 'approve' })
    const waits = async () => (await agent.status(run_id, 5_000)).waiting_for
    await expect.poll(waits).toEqual(['review'])
    await agent.approve('loop_step', run_id)
    const state = async () => (await agent.status(run_id, 5_000)).state
    await expect.poll(state).toBe('closed')
    const ofRun = await pack({ run_id })
    expect(ofRun.decisions.map(({ subject_kind }) => subject_kind)).toEqual(['loop_step', 'task'])
    expect(ofRun.loops).toMatchObject([{ run_id, steps: { length: loopSteps.length } }])
    expect(ofRun.ledger_heads).toMatchObject([{ task_id, state: 'closed' }])
    const kinds = new Set(ofRun.receipts.map(({ kind }) => kind))
    expect(kinds).toContain('review_decision')
    expect(kinds).toContain('attestation')
    // Pages in a total order are all of it, each decision once.
    const pages = [
      await pack({ run_id, limit: '1' }),
      await pack({ run_id, limit: '1', offset: '1' }),
    ]
    expect(pages.flatMap(({ decisions }) => decisions)).toEqual(ofRun.decisions)
    const by = String(ofRun.decisions[0]?.decided_by.operator_id)
    expect((await pack({ run_id, decided_by: by })).total).toBe(2)
    expect((await pack({ run_id, decided_by: '0'.repeat(16) })).total).toBe(0)
    expect((await pack({ from: '2100-01-01T00:00:00Z' })).decisions).toEqual([])
    expect(decodeJwt(ofRun.jws)).toMatchObject({ sub: ofRun.pack_sha256, kind: 'loop_audit_pack' })
    expect(decodeProtectedHeader(ofRun.jws)).toMatchObject({ typ: 'loop-audit-pack+jwt' })
    const keys = createLocalJWKSet((await operator.call('jwks', {})).body as JSONWebKeySet)
    await jwtVerify(ofRun.jws, keys)
    const url = `${apis.hosts[0]!.base}/api/loop-decision-audit-pack`
    const headers = { Authorization: `Bearer ${agent.credential}` }
    expect((await fetch(url, { headers })).status).toBe(401)
  },
)
