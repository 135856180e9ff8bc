import { afterAll, beforeAll, expect } from 'vitest'
import { offeredPilots } from '#domain/pilots/pilot.ts'
import { rails } from '#domain/rails/index.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { startComposed } from '../../../support/composed-api.ts'
import {
  agentOfPilots,
  invitationsOf,
  pilotClient,
  requestedPilot,
} from '../../../support/pilots.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { decide, trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposed>>
let agent: Awaited<ReturnType<typeof agentOfPilots>>
beforeAll(async () => {
  apis = await startComposed({ env: { LIMIT_AGENT_PER_MINUTE: '6000' } })
  agent = await agentOfPilots(apis.hosts[0]!, apis.operator)
})
afterAll(() => apis?.stop())

const hosts = () => apis.hosts[0]!
const asked = (more: Partial<InputOf<'offer-launch'>> = {}): InputOf<'offer-launch'> => ({
  rail: 'financeops',
  tier: 'standard',
  objective: 'Match the open invoices.',
  customer_account: 'northwind-emea',
  idempotency_key: freshKey(),
  ...more,
})
const launch = async (more: Partial<InputOf<'offer-launch'>> = {}) =>
  (await agent.client.call('offer-launch', asked(more))).body
const offers = async (query: InputOf<'offers-read'> = {}) =>
  (await createClient({ baseUrl: hosts().base }).call('offers-read', query)).body.offers

verifies('pilots.offer', 'the offers are those that the rails declare', async () => {
  const declared = rails.filter(({ takes }) => takes.offer).map(({ key }) => key)
  expect([...offeredPilots].sort()).toEqual(declared.toSorted())
  const all = await offers()
  expect(all.map(({ rail }) => rail)).toEqual([...offeredPilots])
  expect(await offers({ rail: 'tokenops' })).toEqual([all[0]])
})

verifies('pilots.offer', 'an agent launches a pilot, which an operator activates', async () => {
  const [offer] = await offers({ rail: 'financeops' })
  const input = asked()
  const first = (await agent.client.call('offer-launch', input)).body
  const price = offer?.tiers.find(({ tier }) => tier === 'standard')?.total_usd
  expect(first).toMatchObject({
    pilot: {
      source: 'offer',
      state: 'accepted',
      total_usd: price,
      client: { account_id: null, customer_account: 'northwind-emea' },
      next_step: 'An operator reviews the pilot.',
    },
    quote: { rail: 'financeops', tier: 'standard', total_usd: price },
    challenge: { state: 'open', quote_id: first.quote.quote_id, amount_usd: price },
    receipt: { kind: 'pilot_offer', subject: first.pilot.pilot_id },
  })
  expect((await agent.client.call('offer-launch', input)).body).toEqual(first)
  const another = await launch({ tier: 'pro' })
  expect(another.pilot.total_usd).toBeGreaterThan(first.pilot.total_usd)
  const held = await pilotClient(hosts().base, first.status_token).call('pilot-intake-read', {})
  expect(held.body).toMatchObject({ pilot: { pilot_id: first.pilot.pilot_id } })
  const decideOn = (pilotId: string, decision: 'approve' | 'reject') =>
    decide(hosts(), apis.operator, pilotId, decision, { subject_kind: 'pilot' })
  expect((await decideOn(first.pilot.pilot_id, 'approve')).subject.state).toBe('activated')
  expect((await decideOn(another.pilot.pilot_id, 'reject')).subject.state).toBe('closed')
})

verifies('pilots.offer', 'other rails, sandbox agents and too many are refused', async () => {
  const refusal = (by: Pick<typeof agent, 'client'>, more: Partial<InputOf<'offer-launch'>> = {}) =>
    problemOf(by.client.call('offer-launch', asked(more)))
  // Only what is offered can be asked for: the schema names the rails of the offers.
  expect(await refusal(agent, { rail: 'packetops' as 'tokenops' })).toMatchObject({
    status: 400,
    code: 'invalid_request',
  })
  expect(await refusal(agent, { rail: 'energyops' })).toMatchObject({
    status: 403,
    code: 'rail_not_allowed',
  })
  const sandbox = await trustedAgent(hosts(), apis.operator, {
    sandbox: true,
    rails: ['financeops'],
    requested_scopes: ['runs:read', 'runs:write'],
  })
  const client = createClient({ baseUrl: hosts().base, agent: sandbox.credential })
  expect(await refusal({ client })).toMatchObject({ status: 403 })
  const many = await agentOfPilots(hosts(), apis.operator)
  for (let launched = 0; launched < 20; launched++)
    await many.client.call('offer-launch', asked({ rail: 'tokenops' }))
  expect(await codeOf(many.client.call('offer-launch', asked()))).toBe('rate_limited')
})

verifies('pilots.list', 'an operator lists the pilots of every source', async () => {
  const operator = createClient({ baseUrl: hosts().base, operator: apis.operator })
  const list = async (query: InputOf<'pilots-list'>) =>
    (await operator.call('pilots-list', query)).body
  const intake = (await requestedPilot(hosts().base, { rail: 'packetops' })).pilot
  const { pilot: invited } = await invitationsOf(hosts(), apis.operator).invite()
  const { pilot: offered } = await launch({ rail: 'tokenops' })
  const newest = (await list({ limit: '3' })).items.map(({ pilot_id }) => pilot_id)
  expect(newest).toEqual([offered, invited, intake].map(({ pilot_id }) => pilot_id))
  expect((await list({ source: 'offer', rail: 'tokenops' })).items[0]).toMatchObject({
    pilot_id: offered.pilot_id,
    agent_id: agent.agentId,
    waiting_since: expect.any(String),
  })
  const of = async (query: InputOf<'pilots-list'>) =>
    (await list(query)).items.map(({ pilot_id, waiting_since }) => [pilot_id, waiting_since])
  expect(await of({ q: invited.pilot_id })).toEqual([[invited.pilot_id, null]])
  expect(await of({ q: '%' })).toEqual([])
  const { items, total } = await list({ q: 'northwind g', state: 'requested' })
  expect([total, items[0]?.contact]).toEqual([1, 'ops@northwind.example'])
  expect((await fetch(`${hosts().base}/api/operator/pilots`)).status).toBe(401)
})
