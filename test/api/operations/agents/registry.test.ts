import { afterAll, beforeAll, expect } from 'vitest'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf } from '../../../support/problems.ts'
import { decide, trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(2)
})
afterAll(() => apis?.stop())

const list = async (query: InputOf<'agent-registry-list'> = {}, api = 0) =>
  (await apis.open(api).call('agent-registry-list', query)).body
type Agent = Awaited<ReturnType<typeof apis.agent>>
const profileOf = (agent: Agent, more: Partial<InputOf<'agent-registry-profile'>> = {}) =>
  agent.call('agent-registry-profile', {
    name: 'Northwind',
    description: 'Collects evidence.',
    capabilities: ['collects evidence'],
    rails: ['packetops'],
    publish_profile: true,
    ...more,
  })
const published = () => apis.agent(['runs:read', 'profile:write'])

verifies(
  'registry.list',
  'only those who publish are listed, and a withdrawal holds at once',
  async () => {
    const [silent, open] = [await published(), await published()]
    await profileOf(silent, { publish_profile: false })
    const { body } = await profileOf(open)
    expect(body).toMatchObject({
      agent: { publish_profile: true },
      receipt: { kind: 'listing', payload: { publish_profile: true } },
    })
    const ids = async (api = 0) => (await list({}, api)).items.map(({ agent_id }) => agent_id)
    expect(await ids()).toContain(open.agentId)
    expect(await ids()).not.toContain(silent.agentId)
    expect((await list()).items.find(({ agent_id }) => agent_id === open.agentId)).toMatchObject({
      trust_state: 'trusted',
      badge_state: 'none',
      reliability: { runs: 0, finished: 0, exceptions: 0 },
      receipt_id: body.receipt.receipt_id,
    })
    await profileOf(open, { publish_profile: false })
    expect(await ids(1)).not.toContain(open.agentId)
  },
)

verifies('registry.list', 'a suspended agent is listed no more, in every process', async () => {
  const agent = await published()
  await profileOf(agent, { name: `S ${key()}` })
  const [first] = apis.hosts
  if (first === undefined) throw new Error('no API runs')
  await decide(first, apis.operator, agent.agentId, 'hold')
  for (const api of [0, 1])
    expect((await list({}, api)).items.map(({ agent_id }) => agent_id)).not.toContain(agent.agentId)
})

verifies('registry.list', 'it is searched by words, rail and capability, in pages', async () => {
  const word = `w${key()}`
  for (const at of [1, 2, 3])
    await profileOf(await published(), {
      name: `${word} ${at}`,
      capabilities: [`${word} can ${at}`],
      rails: at === 3 ? ['energyops'] : ['packetops'],
    })
  expect((await list({ query: word.toUpperCase() })).total).toBe(3)
  expect((await list({ query: word, rail: 'energyops' })).total).toBe(1)
  expect((await list({ capability: `${word} can 2` })).items).toMatchObject([{ name: `${word} 2` }])
  const page = await list({ query: word, offset: '1', limit: '1' })
  expect(page).toMatchObject({ offset: 1, limit: 1, total: 3, items: [{ name: `${word} 2` }] })
  for (const query of ['%', '_', '\\', "'"]) expect((await list({ query })).total).toBe(0)
  expect(await codeOf(list({ limit: '101' }))).toBe('invalid_request')
})

verifies('registry.profile', 'scope, rails, secrets and keys are enforced', async () => {
  const agent = await published()
  const without = await apis.agent(['runs:read'])
  expect(await codeOf(profileOf(without))).toBe('scope_denied')
  expect(await codeOf(profileOf(agent, { rails: ['tokenops'] }))).toBe('rail_not_allowed')
  const secret = `sk_live_${'a1'.repeat(12)}`
  expect(await codeOf(profileOf(agent, { description: secret }))).toBe('forbidden_material')
  const idempotency_key = key()
  const one = (await profileOf(agent, { idempotency_key })).body
  expect((await profileOf(agent, { idempotency_key })).body).toEqual(one)
  expect(await codeOf(profileOf(agent, { idempotency_key, name: 'Other' }))).toBe(
    'idempotency_conflict',
  )
  const packet = await apis.open().call('verify-receipt', { receipt_id: one.receipt.receipt_id })
  expect(packet.body.signature.valid).toBe(true)
})

verifies('registry.profile', 'a sandbox agent has no profile', async () => {
  const [first] = apis.hosts
  if (first === undefined) throw new Error('no API runs')
  const { credential } = await trustedAgent(first, apis.operator, {
    sandbox: true,
    requested_scopes: ['runs:read', 'profile:write'],
  })
  const { call } = createClient({ baseUrl: first.base, agent: credential })
  expect(await codeOf(profileOf({ call } as Agent))).toBe('scope_denied')
})
