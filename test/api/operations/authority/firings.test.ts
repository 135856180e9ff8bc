import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { openAuthority, packet } from '../../../support/authority.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { performDelegations } from '../../../support/delegations.ts'
import { decide } from '../../../support/registering-agent.ts'
import { workflowInput } from '../../../support/workflows.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
let worker: Awaited<ReturnType<typeof performDelegations>>
beforeAll(async () => {
  apis = await startComposed({ env: { LIMIT_AGENT_PER_MINUTE: '6000' } })
  worker = await performDelegations(apis)
}, 120_000)
afterAll(async () => {
  await worker?.stop()
  await apis?.stop()
})

const DAY_MS = 86_400_000
const begun = Date.now()
const limits = (total_usd: number, actions_max = 200) => ({
  limits: { per_action_usd: 49, total_usd, actions_max },
})
type Terms = ReturnType<typeof limits> & { expires_at?: string }

/** An agent whose approved workflow of 49 usd a run was made under a mandate, with a wallet that pays 20 runs. */
async function delegated(terms: Terms) {
  const by = await openAuthority(apis.hosts, apis.operator, ['production:write'])
  const wallet_id = await by.fundedWallet(980)
  const mandate = await by.issue({ allowed_operations: ['customer-workflow-create'], ...terms })
  const create = async () => {
    const input = workflowInput(apis.config, wallet_id, { tier: 'entry', input: packet })
    const action = { operation_id: 'customer-workflow-create', input }
    const { signed_action_grant } = await by.grant(mandate, action)
    const { result } = (await by.execute(mandate, signed_action_grant, action)).body
      .delegated_action
    const { workflow_id } = result['workflow'] as { workflow_id: string }
    await decide(apis.hosts[0]!, apis.operator, workflow_id, 'approve', {
      subject_kind: 'workflow',
    })
    return workflow_id
  }
  const workflow_id = await create()
  /** A firing as of so many days from now, whose step is repeated as Temporal does. */
  const fire = async (day: number, again = 5): ReturnType<typeof worker.fireWorkflow> => {
    const firing = { workflowId: workflow_id, firing: `${workflow_id}-${day}` }
    const dueAt = new Date(begun + day * DAY_MS).toISOString()
    return worker.fireWorkflow({ ...firing, dueAt }).catch((error: unknown) => {
      if (again === 0) throw error
      return fire(day, again - 1)
    })
  }
  const read = async () =>
    (await by.client.call('customer-workflow-read', { workflow_id })).body.items[0]
  const used = async () => {
    const { used_usd, used_actions } = await apis.db
      .selectFrom('authority_mandates')
      .select(['used_usd', 'used_actions'])
      .where('mandate_id', '=', mandate.mandate_id)
      .executeTakeFirstOrThrow()
    return [used_usd, used_actions]
  }
  const balance = async () =>
    (await by.client.call('allowance-wallet-read', { wallet_id })).body.wallet?.balance_units
  return { by, mandate, workflow_id, fire, read, used, balance }
}

verifies(
  'authority.firings',
  'each run of a workflow is charged until the budget ends',
  async () => {
    const { fire, read, used, balance, by, workflow_id } = await delegated(limits(3 * 49))
    expect(await used()).toEqual([49, 1])
    const states = []
    for (const day of [1, 2, 3, 4]) states.push(await fire(day))
    expect(states.map((fired) => [fired?.state, fired?.code])).toEqual([
      ['started', null],
      ['started', null],
      ['started', null],
      ['refused', 'authority_denied'],
    ])
    // A step that runs again charges nothing more.
    expect(await fire(2)).toEqual(states[1])
    expect(await used()).toEqual([147, 3])
    expect(await balance()).toBe(980 - 147)
    const workflow = await read()
    expect(workflow?.action_id).toMatch(/^da_/)
    expect(workflow?.firings.map(({ charged_usd }) => charged_usd)).toEqual([null, 49, 49, 0])
    expect(workflow?.firings[0]).toMatchObject({
      run_id: null,
      detail: 'the price of 49 usd is over the 0 usd left',
    })
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from tasks
    where agent_id = ${by.agent_id}`.execute(apis.db)
    expect(rows).toEqual([{ n: 3 }])
    await expect(
      sql`update workflow_firings set charged_usd = 1 where workflow_id = ${workflow_id}`.execute(
        apis.db,
      ),
    ).rejects.toThrow('stays as it was written')
  },
)

verifies('authority.firings', 'after revocation or expiry a firing starts nothing', async () => {
  const revoked = await delegated(limits(490))
  expect(await revoked.fire(1)).toMatchObject({ state: 'started' })
  await revoked.by.revoke(revoked.mandate)
  expect(await revoked.fire(2)).toMatchObject({ state: 'refused', code: 'authority_denied' })
  expect((await revoked.read())?.firings[0]?.detail).toBe('the mandate is revoked')
  expect(await revoked.used()).toEqual([49, 1])
  expect(await revoked.balance()).toBe(980 - 49)

  const expires = Date.now() + 12_000
  const expired = await delegated({ ...limits(490), expires_at: new Date(expires).toISOString() })
  await expect.poll(() => Date.now() > expires + 1_000, { timeout: 30_000 }).toBe(true)
  expect(await expired.fire(1)).toMatchObject({ state: 'refused', code: 'authority_denied' })
  expect((await expired.read())?.firings[0]?.detail).toContain('the mandate is valid from')
  expect(await expired.balance()).toBe(980)
})

verifies('authority.firings', 'ten firings at once never exceed budget or actions', async () => {
  for (const [terms, most] of [
    [limits(4 * 49), 4],
    [limits(980, 3), 3],
  ] as const) {
    const { fire, read, used, balance } = await delegated(terms)
    await Promise.all(Array.from({ length: 10 }, (_, day) => fire(day + 1)))
    const firings = (await read())?.firings ?? []
    const started = firings.filter(({ state }) => state === 'started').length
    expect(started).toBe(most)
    expect(await used()).toEqual([most * 49, most])
    expect(await balance()).toBe(980 - most * 49)
  }
})
