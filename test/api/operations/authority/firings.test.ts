import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { callId } from '#domain/core/ids.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import {
  beginFiring,
  lockWorkflow,
} from '../../../../activities/store/production/customer-workflows.ts'
import { releaseOfEnded } from '../../../../activities/sweep/housekeeping.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { openAuthority, packet } from '../../../support/authority.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { performDelegations } from '../../../support/delegations.ts'
import { codeOf } from '../../../support/problems.ts'
import { decide } from '../../../support/registering-agent.ts'
import { workflowInput } from '../../../support/workflows.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
let worker: Awaited<ReturnType<typeof performDelegations>>
beforeAll(async () => {
  apis = await startComposed({ env: { LIMIT_AGENT_PER_MINUTE: '6000' } })
  worker = await performDelegations(apis)
})
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

/** What a worker stored at that time that died then. */
const beginAt = (workflow_id: string, firing: string, due_at: Date) =>
  transaction(apis.db, async (tx) => {
    const workflow = await lockWorkflow(tx, workflow_id)
    if (workflow === undefined) throw new Error('a workflow was expected')
    const { agent_id, terms_sha256 } = workflow
    const firing_id = `fi_${digestOf({ firing })}`
    const call_id = callId(`agent:${agent_id}`, 'wallet-run-start', firing_id)
    await beginFiring(tx, { firing_id, workflow_id, due_at, call_id, terms_sha256 }, 1)
  })

/** An agent whose approved workflow of 49 usd a run was made under a mandate, with a wallet that pays 20 runs. */
async function delegated(terms: Terms) {
  const by = await openAuthority(apis.hosts, apis.operator, ['production:write'])
  const wallet_id = await by.fundedWallet(980)
  const mandate = await by.issue({ allowed_operations: ['customer-workflow-create'], ...terms })
  const create = async (decision: 'approve' | 'reject' = 'approve') => {
    const input = workflowInput(apis.config, wallet_id, { tier: 'entry', input: packet })
    const action = { operation_id: 'customer-workflow-create', input }
    const { signed_action_grant } = await by.grant(mandate, action)
    const { result } = (await by.execute(mandate, signed_action_grant, action)).body
      .delegated_action
    const { workflow_id } = result['workflow'] as { workflow_id: string }
    await decide(apis.hosts[0]!, apis.operator, workflow_id, decision, {
      subject_kind: 'workflow',
    })
    return workflow_id
  }
  const move = (mode: 'pause' | 'delete', id: string) => {
    const asked = { workflow_id: id, idempotency_key: freshKey() }
    return mode === 'pause'
      ? by.client.call('customer-workflow-pause', { mode: 'pause_workflow', ...asked })
      : by.client.call('customer-workflow-delete', { mode: 'delete_workflow', ...asked })
  }
  const workflow_id = await create()
  /** A firing that was begun so many days from now, whose step is repeated as Temporal does. */
  const fire = async (day: number, again = 5): ReturnType<typeof worker.fireWorkflow> => {
    const firing = `${workflow_id}-${day}`
    await beginAt(workflow_id, firing, new Date(begun + day * DAY_MS))
    return worker.fireWorkflow({ workflowId: workflow_id, firing }).catch((error: unknown) => {
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
  return { by, mandate, workflow_id, create, move, fire, read, used, balance }
}

verifies(
  'authority.firings',
  'each run of a workflow is charged until the budget ends',
  async () => {
    const delegation = await delegated(limits(3 * 49))
    const { fire, read, used, balance, by, workflow_id, mandate } = delegation
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
    // The same firings stand at the mandate, and say what became of the price that the action used.
    const { mandate_id } = mandate
    const { body } = await by.console.call('mandate-read', { mandate_id })
    expect(body.actions).toMatchObject([{ price_usd: 49, released_usd: 0 }])
    const charged = workflow?.firings.filter(({ charged_usd }) => charged_usd !== null)
    expect(body.firings).toMatchObject(
      charged?.map(({ firing_id, run_id, charged_usd, due_at }) => {
        return { firing_id, workflow_id, run_id, charged_usd, due_at, state: 'started' }
      }) ?? [],
    )
    expect(body.firings).toHaveLength(3)
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
  await expect.poll(() => Date.now() > expires + 1_000).toBe(true)
  expect(await expired.fire(1)).toMatchObject({ state: 'refused', code: 'authority_denied' })
  expect((await expired.read())?.firings[0]?.detail).toContain('the mandate is valid from')
  expect(await expired.balance()).toBe(980)
})

verifies(
  'authority.released',
  'a workflow that ends unfired gives its price back once',
  async () => {
    const { create, move, workflow_id, used, read, fire } = await delegated(limits(49))
    expect(await used()).toEqual([49, 1])
    await move('pause', workflow_id)
    expect(await used()).toEqual([49, 1])
    const early = sql`update delegated_actions set released_usd = price_usd
      where action_id = ${String((await read())?.action_id)}`
    await expect(early.execute(apis.db)).rejects.toThrow('given back when its workflow is over')
    const deletes = [1, 2].map(() => codeOf(move('delete', workflow_id)).catch(() => 'deleted'))
    expect((await Promise.all(deletes)).sort()).toEqual(['deleted', 'wrong_state'])
    expect(await used()).toEqual([0, 1])
    const again = sql`update delegated_actions set released_usd = 0 where released_usd > 0`
    await expect(again.execute(apis.db)).rejects.toThrow('used or given back once')
    expect(await fire(1)).toMatchObject({ state: 'refused', code: 'wrong_state' })
    // The whole budget is there again: for one that is rejected, and for one that then runs.
    await create('reject')
    expect(await used()).toEqual([0, 2])
    const last = await create()
    expect(await used()).toEqual([49, 3])
    const fired = { workflowId: last, firing: `${last}-1` }
    expect(await worker.fireWorkflow(fired)).toMatchObject({ state: 'started' })
    await move('delete', last)
    expect(await used()).toEqual([49, 3])
  },
)

verifies('authority.released', 'the end of a mandate gives back what never fired', async () => {
  const revoked = await delegated(limits(490))
  const other = await revoked.create()
  await revoked.fire(1)
  expect(await revoked.used()).toEqual([98, 2])
  expect((await revoked.by.revoke(revoked.mandate)).receipt.payload).toMatchObject({
    released_usd: 49,
  })
  expect(await revoked.used()).toEqual([49, 2])
  await revoked.move('delete', other)
  expect(await revoked.used()).toEqual([49, 2])

  const expired = await delegated(limits(490))
  await releaseOfEnded(apis.db)
  expect(await expired.used()).toEqual([49, 1])
  await transaction(apis.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`update authority_mandates set valid_from = now() - interval '2 hours', expires_at = now() - interval '1 hour'
      where mandate_id = ${expired.mandate.mandate_id}`.execute(tx)
  })
  await Promise.all([1, 2].map(() => releaseOfEnded(apis.db)))
  expect(await expired.used()).toEqual([0, 1])
})

verifies('authority.released', 'a firing and the end at once count its run once', async () => {
  const each = await delegated(limits(980))
  for (let round = 0; round < 4; round += 1) {
    const before = (await each.used())[0] ?? 0
    const id = await each.create()
    const fired = { workflowId: id, firing: `${id}-1` }
    const [firing] = await Promise.all([worker.fireWorkflow(fired), each.move('delete', id)])
    const ran = firing?.state === 'started' ? 49 : 0
    expect((await each.used())[0]).toBe(before + ran)
  }
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
