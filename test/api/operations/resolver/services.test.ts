import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { rails } from '#domain/rails/index.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { toolsOf } from '../../../../api/mcp/tools.ts'
import { operations } from '../../../../api/operations/index.ts'
import { startCandidates } from '../../../support/candidates.ts'
import { startComposed } from '../../../support/composed-api.ts'
import { connectMcp } from '../../../support/mcp.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { decide } from '../../../support/registering-agent.ts'
import { within } from '../../../support/slowness.ts'
import { brokenAt, listUsageEvents } from '../../../support/usage-chain.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposed>>
let others: Awaited<ReturnType<typeof startCandidates>>
beforeAll(async () => {
  apis = await startComposed({ apis: 2 })
  others = await startCandidates(apis.db)
})
afterAll(async () => {
  await others?.stop()
  await apis?.stop()
})

const key = () => randomBytes(8).toString('hex')
const hosts = () => apis.hosts[0] as { base: string; os: string }
const caller = (api = 0) =>
  createClient({ baseUrl: apis.hosts[api]?.base ?? '', idempotencySecret: 'a'.repeat(22) })
const find = (more: Partial<InputOf<'find-services'>>) =>
  caller().call('find-services', { mode: 'find_services', ...more } as InputOf<'find-services'>)
const inspect = (more: object) =>
  caller().call('inspect-service', {
    mode: 'inspect_service',
    ...more,
  } as InputOf<'inspect-service'>)
const request = (service_id: string, task = 'Translate a packet.') =>
  caller().call('request-service-use', { mode: 'request_service_use', service_id, task })
const run = (service_id: string, task: string, idempotency_key = key(), api = 0) =>
  caller(api).call('run-service', { mode: 'run_service', service_id, task, idempotency_key })
const decideOn = (service_id: string, decision: 'approve' | 'reject') =>
  decide(hosts(), apis.operator, service_id, decision, { subject_kind: 'service_candidate' })

/** A service of someone else that was read. */
const observed = async (description = 'Translates contracts between languages.') =>
  (await others.observe(key(), { description })).service_id

verifies('resolver.contract', 'it lists each rail, and each free tool answers', async () => {
  const { body } = await caller().call('resolver-read', {})
  const listed = body.services.map(({ service_id }) => service_id)
  for (const rail of rails) expect(listed).toContain(`svc_${rail.key}`)
  expect(listed).toEqual(
    expect.arrayContaining(['svc_service_os', 'tool_verify_receipt', 'tool_service_scout']),
  )
  expect(new Set(listed).size).toBe(listed.length)
  expect(listed).toEqual(expect.arrayContaining(['tool_free_proof_run', 'tool_model_proof_relay']))
  for (const { path, method } of body.free_tools) {
    const asked =
      method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }
    const url = hosts().base + path.replaceAll(/\{[^}]*\}/g, 'rc_0')
    const answer = await fetch(url, { method, ...asked })
    expect([200, 400, 404], path).toContain(answer.status)
    if (answer.status === 404)
      expect(((await answer.json()) as { detail: string }).detail, path).not.toBe(
        'there is nothing at this path',
      )
  }
})

verifies('resolver.contract', 'a free tool with a budget is called at its own path', async () => {
  const { results } = (await find({ query: 'free proof run' })).body
  expect(results.map(({ service_id }) => service_id)).toContain('tool_free_proof_run')
  expect(await problemOf(run('tool_free_proof_run', '{}'))).toMatchObject({
    code: 'unsupported_request',
    next_action: 'Call POST /api/free-proof-run; it is free.',
  })
})

verifies('resolver.inspect', 'the price of a service of ours is said in words', async () => {
  const price = async (service_id: string) =>
    (await inspect({ service_id })).body.checks.find(({ check }) => check === 'price')?.detail
  expect(await price('tool_verify_receipt')).toBe('it is free')
  expect(await price('svc_packetops')).toBe('its smallest run costs 49 usd')
  expect(await price('svc_service_os')).toBe('it is quoted')
})

verifies('resolver.find', 'another query ranks otherwise, with the words that fit', async () => {
  const packets = (await find({ query: 'assemble an evidence packet' })).body
  const bills = (await find({ query: 'check an electricity bill against meter readings' })).body
  expect(packets.results[0]?.service_id).toBe('svc_packetops')
  expect(bills.results[0]?.service_id).toBe('svc_energyops')
  expect(packets.results[0]?.reasons.length).toBeGreaterThan(0)
  expect(packets.results[0]).toMatchObject({ origin: 'first_party', kind: 'rail', price: 49 })
  expect(await codeOf(find({}))).toBe('invalid_request')
})

verifies(
  'resolver.review',
  'approved, a service is listed and asked for; denied, no more',
  async () => {
    const task = 'translates contracts between languages'
    const found = async () =>
      (await find({ task, include_registry: true })).body.results.map(
        ({ service_id }) => service_id,
      )
    const id = await observed()
    expect(await found()).not.toContain(id)
    const before = (await inspect({ service_id: id })).body
    expect(before).toMatchObject({ decision: 'human_approval_required', service: { name: null } })
    expect(await codeOf(request(id))).toBe('human_approval_required')
    expect(await codeOf(run(id, 'x'))).toBe('human_approval_required')

    const { receipt } = await decideOn(id, 'approve')
    expect(receipt.payload).toMatchObject({ subject_id: id, state: 'approved' })
    expect(receipt.payload['document_sha256']).toMatch(/^[0-9a-f]{64}$/)
    expect(await found()).toContain(id)
    expect((await find({ task })).body.results.map(({ origin }) => origin)).not.toContain(
      'registry',
    )
    const after = (await inspect({ service_id: id })).body
    expect(after).toMatchObject({ decision: 'allowed', service: { name: 'Translation' } })

    await decideOn(id, 'reject')
    expect(await found()).not.toContain(id)
    expect((await inspect({ service_id: id })).body.decision).toBe('denied')
    expect(await codeOf(request(id))).toBe('candidate_denied')
    expect(await codeOf(run(id, 'x'))).toBe('candidate_denied')
  },
)

verifies('resolver.review', 'what could not be read cannot be approved', async () => {
  const url = `https://${key()}.invalid/openapi.json`
  const { service } = (await inspect({ candidate: { name: 'Nothing', url } })).body
  const problem = await problemOf(decideOn(service.service_id, 'approve'))
  expect(problem).toMatchObject({ code: 'wrong_state', allowed_decisions: ['reject'] })
  await decideOn(service.service_id, 'reject')
  expect(await codeOf(inspect({ candidate: { name: 'Nothing', url } }))).toBe('candidate_denied')
})

verifies(
  'resolver.use',
  'each kind of service has its way, with a receipt that verifies',
  async () => {
    const approved = await observed(`Translates ${key()}.`)
    await decideOn(approved, 'approve')
    const ordered = (await request(approved)).body
    expect(ordered).toMatchObject({
      use_decision: 'accepted_for_review',
      work_order: { state: 'queued', run_ids: [], objective: `${approved}: Translate a packet.` },
      receipt: { kind: 'intake', subject: ordered.work_order?.work_order_id },
    })
    const holder = createClient({ baseUrl: hosts().base, statusToken: ordered.status_token ?? '' })
    const named = { work_order_id: ordered.work_order?.work_order_id ?? '' }
    expect((await holder.call('work-orders-read', named)).body.work_order).toEqual(
      ordered.work_order,
    )
    const again = (await request(approved)).body
    expect(again.work_order?.work_order_id).toBe(ordered.work_order?.work_order_id)
    const other = (await request(approved, 'Another task.')).body
    expect(other.work_order?.work_order_id).not.toBe(ordered.work_order?.work_order_id)

    for (const [service_id, use_decision] of [
      ['svc_packetops', 'quote_required'],
      ['svc_service_os', 'quote_required'],
      ['tool_verify_receipt', 'direct_free_tool'],
    ] as const) {
      const { body } = await request(service_id)
      expect(body).toMatchObject({ use_decision, work_order: null, status_token: null })
      const { receipt_id } = body.receipt
      const packet = (await caller().call('verify-receipt', { receipt_id })).body
      expect(packet.signature.valid).toBe(true)
    }
    const here = (await request('tool_verify_receipt')).body.next_action
    expect(here).toBe('Call run_service with tool_verify_receipt.')
    const elsewhere = (await request('tool_free_proof_run')).body.next_action
    expect(elsewhere).toBe('Call POST /api/free-proof-run; it is free.')
    expect(await codeOf(request('svc_contractops'))).toBe('unsupported_request')
    expect(await codeOf(request('svc_unknown'))).toBe('unsupported_request')
  },
)

verifies(
  'resolver.run',
  'a free tool runs once for each key, and its outcome is recorded',
  async () => {
    const direct = (await caller().call('agent-pricing', { rail: 'packetops' })).body
    const k = key()
    const { body } = await run('tool_agent_pricing', '{"rail":"packetops"}', k)
    expect(body.outcome).toMatchObject({ operation_id: 'agent-pricing', result: direct })
    expect(body.receipt.payload).toMatchObject({ result_sha256: digestOf(direct) })
    expect((await run('tool_agent_pricing', '{"rail":"packetops"}', k, 1)).body).toEqual(body)
    expect(await codeOf(run('tool_agent_pricing', '{"rail":"tokenops"}', k))).toBe(
      'idempotency_conflict',
    )
    const other = (await run('tool_agent_pricing', '{"rail":"tokenops"}')).body
    expect(other.outcome.result).not.toEqual(direct)
    const chain = await listUsageEvents(apis.db, 'service')
    expect(brokenAt(chain)).toBeUndefined()
    const ours = chain.filter(({ event_id }) => event_id === body.usage_event_id)
    expect(ours).toMatchObject([{ kind: 'tool_call', units: 1, subject: 'tool_agent_pricing' }])
    const words = (await run('tool_service_scout', 'assemble an evidence packet')).body
    expect(words.outcome.result).toHaveProperty('ranked.0.service_id', 'svc_packetops')
  },
)

verifies(
  'resolver.run',
  'anything else is refused, and an outside service is never called',
  async () => {
    const id = await observed(`Translates ${key()}.`)
    await decideOn(id, 'approve')
    const before = others.requests()
    for (const service_id of [id, 'svc_packetops', 'svc_service_os', 'svc_unknown'])
      expect(await codeOf(run(service_id, '{}')), service_id).toBe('unsupported_request')
    expect(others.requests()).toBe(before)
    expect((await problemOf(run('svc_packetops', '{}'))).next_action).toContain('quote_run')
    const long = await problemOf(run('tool_sample_return_packages', '{}'))
    expect(long).toMatchObject({ code: 'unsupported_request' })
    expect(long.next_action).toBe('Call GET /api/sample-return-packages; it is free.')
    for (const task of ['no json', '{"rail":"unknown"}', '{"other":1}', '[]'])
      expect(await codeOf(run('tool_agent_pricing', task)), task).toBe('invalid_request')
  },
)

verifies('resolver.refusals', 'secrets and malformed candidates are stored nowhere', async () => {
  const count = async () => (await apis.db.selectFrom('services').select('name').execute()).length
  const before = await count()
  const url = 'https://service.example/openapi.json'
  const secret = `sk_live_${'a1'.repeat(12)}`
  const deep = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`)
  const cases: [object, string][] = [
    [{ name: `key ${secret}`, url }, 'forbidden_material'],
    [{ name: 'a', url, description: `password: ${secret}` }, 'forbidden_material'],
    [{ name: 'a', url, schema: { note: secret } }, 'forbidden_material'],
    [{ name: 'a', url: `https://u:${secret}@service.example/` }, 'forbidden_material'],
    [{ name: 'a\u202eb', url }, 'invalid_request'],
    [{ name: 'a', url: 'http://service.example/' }, 'invalid_request'],
    [{ name: 'a', url, schema: { text: 'x'.repeat(20_000) } }, 'invalid_request'],
    [{ name: 'a', url, schema: deep }, 'invalid_json'],
    [{ name: 'a', url, other: 1 }, 'invalid_request'],
    [{ name: 'a', url: 'https://localhost/' }, 'candidate_denied'],
  ]
  for (const [candidate, code] of cases)
    expect(await codeOf(inspect({ candidate })), JSON.stringify(candidate).slice(0, 60)).toBe(code)
  expect(await codeOf(inspect({}))).toBe('invalid_request')
  const both = { service_id: 'svc_packetops', candidate: { name: 'a', url } }
  expect(await codeOf(inspect(both))).toBe('invalid_request')
  expect(await count()).toBe(before)
})

verifies(
  'scout.rank',
  'constraints change the ranking, and what no service does is named',
  async () => {
    const scout = (more: Partial<InputOf<'service-scout-run'>>) =>
      caller().call('service-scout-run', { task: 'Assemble an evidence packet.', ...more })
    const all = (await scout({})).body
    expect(all.ranked[0]?.service_id).toBe('svc_packetops')
    const cheap = (await scout({ constraints: { price_max_usd: 10 } })).body
    expect(cheap.excluded).toContainEqual(
      expect.objectContaining({ service_id: 'svc_packetops', code: 'price_too_high' }),
    )
    const missing = (await scout({ task: 'Paint the garden fence green.' })).body
    expect(missing.missing.length).toBeGreaterThan(0)
    const read = await caller().call('service-scout-read', { task: 'Assemble an evidence packet.' })
    expect(read.body.ranked).toEqual(all.ranked)
  },
)

verifies('scout.rank', 'the hardest task of its size comes to an end', async () => {
  const task = Array.from({ length: 500 }, () => 'packet,')
    .join(' ')
    .slice(0, 4_000)
  const began = performance.now()
  const outcome = await codeOf(
    caller()
      .call('service-scout-run', { task })
      .then(() => Promise.reject(new Error('answered'))),
  ).catch(() => 'answered')
  expect(['answered', 'input_too_complex']).toContain(outcome)
  expect(performance.now() - began).toBeLessThan(within(15_000))
})

verifies('scout.receipt', 'one receipt for each key, over task, registry and result', async () => {
  const asked = { task: 'Assemble an evidence packet.', idempotency_key: key() }
  const one = (await caller().call('service-scout-run', asked)).body
  const { receipt, ...result } = one
  expect(receipt).toMatchObject({ kind: 'scout', usage: 'synthetic' })
  expect(receipt.payload).toMatchObject({
    registry_sha256: one.registry_sha256,
    result_sha256: digestOf(result),
  })
  expect((await caller(1).call('service-scout-run', asked)).body).toEqual(one)
  const other = { ...asked, task: 'Another task.' }
  expect(await codeOf(caller().call('service-scout-run', other))).toBe('idempotency_conflict')
})

verifies('mcp.same-call', 'the four modes are tools, without text of any service', async () => {
  const text = 'Translates with a very particular text'
  const id = await observed(text)
  await decideOn(id, 'approve')
  const mcp = await connectMcp(hosts().base)
  try {
    const listed = await mcp.list()
    expect(JSON.stringify(listed)).not.toContain(text)
    expect(listed.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'find_services',
        'inspect_service',
        'request_service_use',
        'run_service',
      ]),
    )
    expect(listed).toHaveLength(toolsOf(operations).length)
    const found = await mcp.call('find_services', { task: text, include_registry: true })
    expect(JSON.stringify(found.structuredContent)).toContain(id)
    const inspected = await mcp.call('inspect_service', { service_id: id })
    expect(inspected.structuredContent).toEqual((await inspect({ service_id: id })).body)
    const refused = await mcp.call('run_service', {
      service_id: id,
      task: 'x',
      idempotency_key: key(),
    })
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { code: 'unsupported_request' },
    })
  } finally {
    await mcp.close()
  }
})
