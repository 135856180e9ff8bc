import { afterAll, beforeAll, expect } from 'vitest'
import { freshKey } from '../../../support/agent-use.ts'
import { type Mandate, openAuthority, usage } from '../../../support/authority.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { codeOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

const TEMPORAL_UI_URL = 'https://temporal.example'
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let authority: Awaited<ReturnType<typeof openAuthority>>
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000', TEMPORAL_UI_URL })
  authority = await openAuthority(apis.hosts, apis.operator)
})
afterAll(() => apis?.stop())

const call = () => authority.console.call
const read = async ({ mandate_id }: { mandate_id: string }) =>
  (await call()('mandate-read', { mandate_id })).body
async function executed(mandate: Mandate) {
  const action = usage()
  const { signed_action_grant, grant_id } = await authority.grant(mandate, action)
  const { body } = await authority.execute(mandate, signed_action_grant, action)
  return { ...body.delegated_action, grant_id, receipt: body.receipt }
}

verifies('console.authority', 'a mandate is read with decisions, grants and actions', async () => {
  const mandate = await authority.issue({ principal_id: 'acme:reader' })
  const { action_id, grant_id, receipt } = await executed(mandate)
  const denied = await authority.evaluate(mandate, usage({ rail: 'diligenceops' }))
  const detail = await read(mandate)
  expect(detail).toMatchObject({
    kind: 'authority',
    mandate_id: mandate.mandate_id,
    agent_id: authority.agent_id,
    principal: 'acme:reader',
    state: 'active',
    budget: { currency: 'USD', total: '500', used: '0', left: '500' },
    uses: 1,
    uses_max: 200,
    revocation: null,
    document: mandate.signed_mandate,
    grants: [{ grant_id, state: 'consumed' }],
    payments: [],
  })
  expect(detail.decisions.map(({ purpose, decision }) => [purpose, decision])).toEqual([
    ['evaluate', 'deny'],
    ['execute', 'allow'],
    ['grant', 'allow'],
  ])
  const [latest, execution] = detail.decisions
  expect(latest).toMatchObject({
    decision_id: denied.decision_id,
    rules: [{ rule: 'rail_allowed', effect: 'deny' }],
    receipt_id: denied.receipt.receipt_id,
  })
  expect(detail.actions).toMatchObject([
    {
      action_id,
      state: 'done',
      status: 200,
      refusal: null,
      decision: {
        decision_id: execution?.decision_id,
        rules: [{ rule: 'operation_allowed', effect: 'allow' }],
      },
      receipt_id: receipt.receipt_id,
      temporal_url: `${TEMPORAL_UI_URL}/namespaces/default/workflows/delegation-${action_id}`,
    },
  ])
  expect(await codeOf(read({ mandate_id: `mdt_${'0'.repeat(64)}` }))).toBe('not_found')
})

verifies('console.authority', 'the lists find by id, agent, principal and state', async () => {
  const principal_id = `acme:${freshKey()}`
  const mandate = await authority.issue({ principal_id })
  const { mandate_id } = mandate
  const other = await authority.issue({ principal_id })
  const { action_id, grant_id } = await executed(mandate)
  const unused = await authority.grant(mandate, usage())
  await authority.revoke(other)
  const mandates = async (more: object) =>
    (await call()('mandates-list', more)).body.items.map((line) => line.mandate_id)
  expect(await mandates({ q: principal_id })).toEqual([other.mandate_id, mandate_id])
  expect(await mandates({ q: principal_id, limit: '1', offset: '1' })).toEqual([mandate_id])
  expect(await mandates({ q: principal_id, state: 'revoked' })).toEqual([other.mandate_id])
  expect(await mandates({ q: grant_id })).toEqual([mandate_id])
  expect(await mandates({ q: principal_id, kind: 'ap2' })).toEqual([])
  expect(await mandates({ q: authority.agent_id, state: 'active' })).toContain(mandate_id)
  const grants = async (more: object) =>
    (await call()('grants-list', more)).body.items.map((line) => [line.grant_id, line.state])
  expect(await grants({ q: mandate_id })).toEqual([
    [unused.grant_id, 'issued'],
    [grant_id, 'consumed'],
  ])
  expect(await grants({ q: mandate_id, state: 'issued' })).toEqual([[unused.grant_id, 'issued']])
  expect(await grants({ q: action_id })).toEqual([[grant_id, 'consumed']])
  const actions = async (more: object) =>
    (await call()('delegated-actions-list', more)).body.items.map((line) => line.action_id)
  for (const q of [action_id, grant_id, mandate_id])
    expect(await actions({ q })).toEqual([action_id])
  expect(await actions({ q: mandate_id, state: 'refused' })).toEqual([])
  expect(await codeOf(call()('mandates-list', { state: 'lost' as 'active' }))).toBe(
    'invalid_request',
  )
})

verifies('console.authority', 'no other caller reads the lists', async () => {
  const { mandate_id } = await authority.issue()
  const paths = [
    'mandates',
    `mandates/${mandate_id}`,
    'action-grants',
    'delegated-actions',
    'key-rings',
  ]
  const callers = [{}, { authorization: `Bearer ${authority.credential}` }]
  for (const path of paths)
    for (const headers of callers) {
      const answer = await fetch(`${apis.hosts[0]?.base}/api/operator/${path}`, { headers })
      expect([path, answer.status]).toEqual([path, 401])
    }
})

verifies('console.rings', 'each ring has its keys and its rotation', async () => {
  const rings = async () => (await call()('key-rings', {})).body.rings
  const before = await rings()
  expect(before.map(({ ring }) => ring)).toEqual([
    'receipt',
    'authority',
    'checkout',
    'callback',
    'agent-statement',
    'log',
  ])
  for (const { keys } of before) expect(keys).toMatchObject([{ state: 'active' }])
  await call()('signing-rotate', {
    mode: 'rotate_signing_credential',
    target: 'service',
    ring: 'log',
    reason: 'a rotation to be seen',
    idempotency_key: freshKey(),
  })
  const after = await rings()
  expect(after.find(({ ring }) => ring === 'log')?.rotation).toMatchObject({
    state: 'requested',
    reason: 'a rotation to be seen',
    done_at: null,
    temporal_url: `${TEMPORAL_UI_URL}/namespaces/default/workflows/key-rotation-log`,
  })
  expect(after.find(({ ring }) => ring === 'receipt')?.rotation).toBeNull()
})
