import { afterAll, beforeAll, expect } from 'vitest'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { connectMcp } from '../../../support/mcp.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed()
})
afterAll(() => apis?.stop())

const hosts = () => apis.hosts[0]!
const operator = () =>
  createClient({ baseUrl: hosts().base, osUrl: hosts().os, operator: apis.operator })
const order = (more: Partial<InputOf<'signing-rotate'>> = {}): InputOf<'signing-rotate'> => ({
  mode: 'rotate_signing_credential',
  target: 'service',
  overlap_seconds: 60,
  revoke_old: false,
  reason: 'spring',
  idempotency_key: crypto.randomUUID(),
  ...more,
})
const listed = async () => (await operator().call('keys-list', {})).body

verifies('keys.rotation', 'an operator orders the rotation of one ring once', async () => {
  const asked = order({ ring: 'receipt' })
  const { status, body } = await operator().call('signing-rotate', asked)
  expect(status).toBe(201)
  expect(body).toMatchObject({
    rotations: [{ ring: 'receipt', state: 'requested', next_kid: null, overlap_seconds: 60 }],
    receipt: { payload: { act: 'signing_keys_rotate', reason: 'spring', operator_name: 'Ada' } },
  })
  expect((await operator().call('signing-rotate', asked)).body).toEqual(body)
  for (const ring of ['receipt', undefined] as const)
    await expect(
      operator().call('signing-rotate', order(ring === undefined ? {} : { ring })),
    ).rejects.toMatchObject({ code: 'rotation_in_progress', problem: { status: 409 } })
  const { rotations } = await listed()
  expect(rotations).toMatchObject([{ ring: 'receipt', state: 'requested' }])
})

verifies(
  'keys.rotation-hastened',
  'an order to revoke the old key hastens the open rotation once',
  async () => {
    const { body } = await operator().call('signing-rotate', order({ ring: 'log' }))
    const leaked = order({ ring: 'log', revoke_old: true, reason: 'leaked' })
    const { status, body: hastened } = await operator().call('signing-rotate', leaked)
    expect(status).toBe(201)
    const [open] = 'rotations' in body ? body.rotations : []
    expect(hastened).toMatchObject({
      rotations: [{ ...open, revoke_old: true }],
      receipt: { payload: { act: 'signing_keys_rotate', reason: 'leaked', revoke_old: true } },
    })
    expect((await operator().call('signing-rotate', leaked)).body).toEqual(hastened)
    await expect(
      operator().call('signing-rotate', order({ ring: 'log', revoke_old: true })),
    ).rejects.toMatchObject({ code: 'rotation_in_progress' })
  },
)

verifies('keys.rotation', 'no agent rotates the keys of the service', async () => {
  const { credential } = await trustedAgent(hosts(), apis.operator)
  const client = createClient({ baseUrl: hosts().base, osUrl: hosts().os, agent: credential })
  await expect(client.call('signing-rotate', order({ ring: 'log' }))).rejects.toMatchObject({
    code: 'not_owner',
    problem: { status: 403 },
  })
  expect((await listed()).rotations.map(({ ring }) => ring)).toEqual(['log', 'receipt'])
})

verifies('keys.rotation', 'what belongs to the key of an agent is refused', async () => {
  for (const more of [
    { agent_id: `agt_${'1'.repeat(64)}` },
    { target: 'own_access_key' as const, ring: 'log' as const },
  ])
    await expect(operator().call('signing-rotate', order(more))).rejects.toMatchObject({
      code: 'invalid_request',
    })
})

verifies('keys.rotation', 'the MCP tool is the same order', async () => {
  const mcp = await connectMcp(hosts().base, { authorization: `Bearer ${apis.operator}` })
  const { mode: _, ...asked } = order({ ring: 'callback' })
  const { structuredContent } = await mcp.call('rotate_signing_credential', asked)
  expect(structuredContent).toMatchObject({ rotations: [{ ring: 'callback', state: 'requested' }] })
  await mcp.close()
})
