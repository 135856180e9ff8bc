import { afterAll, beforeAll, expect } from 'vitest'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { railOf } from '#domain/rails/index.ts'
import { exampleOf } from '../../../../api/examples/index.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { decide } from '../../../support/registering-agent.ts'
import { secondKey } from '../../../support/second-key.ts'
import { verifies } from '../../../verifies.ts'

type Start = InputOf<'energyops-controlled-pilot-run'>
type OfferRail = 'tokenops' | 'financeops' | 'energyops'
let apis: ComposedApis
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  apis = await startComposed({ env: { LIMIT_AGENT_PER_MINUTE: '6000' } })
  agent = await openAgentUse(apis.hosts[0]!, apis.operator, {
    rails: ['energyops', 'tokenops', 'financeops'],
    requested_scopes: ['runs:read', 'runs:write'],
  })
})
afterAll(() => apis?.stop())

const callback = () => `${apis.config.BASE_URL}${demoReceiverPath}?receiver=${freshKey()}`
let units = 0
const quoted = async (rail: OfferRail, tier: Start['tier'] = 'standard') => {
  const asked = { rail, tier, units: ++units, idempotency_key: freshKey() }
  return (await agent.client.call('agent-quote', asked)).body.quote.quote_id
}
const operator = () => createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
const pilots = async (source: 'controlled' | 'offer') =>
  (await operator().call('pilots-list', { source })).body.items
/** The refusal of a start, whose event its agent reads. One that the chain takes is stored; no worker continues it here. */
const started = async (rail: OfferRail, sent: Start) => (await chained(agent, rail, sent))?.code
async function chained({ client }: Pick<typeof agent, 'client'>, rail: OfferRail, sent: Start) {
  const problem = await problemOf(client.call(`${rail}-controlled-pilot-run`, sent))
  if (!('chain' in problem)) return undefined
  const { code, chain, audit_event_id } = problem as typeof problem & {
    chain: { step: string; ok: boolean; detail: string }[]
    audit_event_id: string
  }
  const { event } = (await client.call('write-gate-read', { audit_event_id })).body
  expect(event).toMatchObject({ kind: 'refused', rail, passed: false, code })
  expect(event?.checks.map(({ check, ok }) => [check, ok])).toEqual(
    chain.map(({ step, ok }) => [step, ok]),
  )
  return { code, failed: chain.at(-1)?.step, detail: chain.at(-1)?.detail }
}

verifies(
  ['pilot.example', 'conform.requested-tool'],
  'the printed call is taken with a quote of one’s own',
  async () => {
    for (const rail of ['tokenops', 'financeops', 'energyops'] as const) {
      const example = exampleOf({ id: `${rail}-controlled-pilot-run` })
      const { entitlement_id: _paid, ...printed } = example.input as Start
      const quote_id = await quoted(rail, printed.tier)
      const of = { quote_id, callback_url: callback(), idempotency_key: freshKey() }
      expect(await started(rail, { ...printed, ...of }), rail).toBeUndefined()
      expect((await pilots('controlled'))[0]).toMatchObject({ rail, state: 'running' })
      // An order that no caller asked for by a tool id is found by the rail of its run.
      const { items } = (await operator().call('loop-review-console', { kind: 'work_order', rail }))
        .body
      expect(items).toMatchObject([{ rail, state: 'queued' }])
      const { requested_tool_id } = await apis.db
        .selectFrom('work_orders')
        .select('requested_tool_id')
        .where('work_order_id', '=', String(items[0]?.subject_id))
        .executeTakeFirstOrThrow()
      expect(requested_tool_id).toBe(rail === 'tokenops' ? rail : 'service_os')
    }
  },
)

verifies(
  ['pilot.named', 'production.gate-events'],
  'a chain begins the pilot that it names, once',
  async () => {
    const launched = { rail: 'tokenops', tier: 'standard', objective: 'Costs by agent.' } as const
    const offer = { ...launched, idempotency_key: freshKey() }
    const { pilot_id } = (await agent.client.call('offer-launch', offer)).body.pilot
    const begin = async (rail: OfferRail) =>
      started(rail, {
        request: { objective: 'Costs by agent.', pilot_id },
        tool_scope: [rail, 'runs:write'],
        tier: 'standard',
        quote_id: await quoted(rail),
        input: railOf(rail).sandboxInput as Start['input'],
        callback_url: callback(),
        on_gaps: 'report',
        accept_terms: true,
        idempotency_key: freshKey(),
      })
    expect(await begin('tokenops')).toBe('wrong_state')
    await decide(apis.hosts[0]!, apis.operator, pilot_id, 'approve', { subject_kind: 'pilot' })
    expect(await begin('energyops')).toBe('quote_mismatch')
    expect(await begin('tokenops')).toBeUndefined()
    expect((await pilots('offer'))[0]).toMatchObject({ pilot_id, state: 'running' })
    expect(await begin('tokenops')).toBe('already_exists')
    const another = await openAgentUse(apis.hosts[0]!, apis.operator, {
      rails: ['tokenops'],
      requested_scopes: ['runs:read', 'runs:write'],
    })
    const mine = agent
    agent = another
    expect(await begin('tokenops')).toBe('not_found')
    agent = mine
  },
)

const keyed = (key: string) => ({
  client: createClient({ baseUrl: apis.hosts[0]!.base, agent: key }),
})

verifies('pilot.key', 'the chain refuses a key that does not cover its pilot', async () => {
  const start = async (more: Partial<Start> = {}): Promise<Start> => ({
    request: { objective: 'Costs by agent.' },
    tool_scope: ['tokenops'],
    tier: 'standard',
    quote_id: await quoted('tokenops'),
    input: railOf('tokenops').sandboxInput as Start['input'],
    callback_url: callback(),
    on_gaps: 'report',
    accept_terms: true,
    idempotency_key: freshKey(),
    ...more,
  })
  const limited = (more: Pick<InputOf<'agent-register'>, 'rails' | 'requested_scopes'>) =>
    openAgentUse(apis.hosts[0]!, apis.operator, more)
  const reader = await limited({ rails: ['tokenops'], requested_scopes: ['runs:read'] })
  const ofOther = await limited({
    rails: ['energyops'],
    requested_scopes: ['runs:read', 'runs:write'],
  })
  expect(await chained(reader, 'tokenops', await start())).toMatchObject({
    code: 'scope_denied',
    failed: 'auth_validation',
    detail: expect.stringContaining('runs:write'),
  })
  expect(await chained(ofOther, 'tokenops', await start())).toMatchObject({
    code: 'rail_not_allowed',
    failed: 'auth_validation',
  })
  const both = await start({ tool_scope: ['tokenops', 'financeops'] })
  expect(await chained(agent, 'tokenops', both)).toMatchObject({
    code: 'scope_denied',
    failed: 'tool_scope',
    detail: expect.stringContaining('no other rail than tokenops'),
  })
  // A key of the same agent that may not start it neither repeats nor continues the call of the one that may.
  const begun = await start()
  expect(await chained(agent, 'tokenops', begun)).toBeUndefined()
  const covered = { scopes: ['runs:read' as const], rails: ['tokenops'] }
  const narrow = await secondKey(apis, agent.registered.agent.agent_id, covered)
  expect(await chained(keyed(narrow), 'tokenops', begun)).toMatchObject({
    code: 'scope_denied',
    failed: 'auth_validation',
  })
  const unknown = keyed(`ag_${'0'.repeat(16)}_${'0'.repeat(64)}`).client
  expect(await problemOf(unknown.call('tokenops-controlled-pilot-run', begun))).toMatchObject({
    status: 401,
    code: 'credential_invalid',
  })
})
