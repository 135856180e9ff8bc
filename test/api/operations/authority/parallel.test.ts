import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { ProblemError } from '../../../../api/http/client.ts'
import { eventually } from '../../../support/agent.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { openAuthority, usage } from '../../../support/authority.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { patiently } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let authority: Awaited<ReturnType<typeof openAuthority>>
beforeAll(async () => {
  apis = await startComposedTasks({
    LIMIT_AGENT_PER_MINUTE: '60000',
    EXECUTE_WAIT_MS: '60000',
    CALL_LEASE_MS: '120000',
  })
  authority = await openAuthority(apis.hosts, apis.operator)
})
afterAll(async () => {
  await apis?.stop()
})

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
/** `done`, or the code of the refusal. */
const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof ProblemError) return error.problem.code
      throw error
    },
  )
const count = (all: readonly string[], of: string) => all.filter((one) => one === of).length
const actionsOf = (mandateId: string) =>
  apis.db.selectFrom('delegated_actions').selectAll().where('mandate_id', '=', mandateId).execute()

verifies(
  'authority.execute.single-use',
  '100 executions of one grant have one effect',
  async () => {
    const mandate = await authority.issue()
    const action = usage({ subject: freshKey() })
    const { signed_action_grant } = await authority.grant(mandate, action)
    const outcomes = await Promise.all(
      times(100, (index) => {
        const keyed = { ...action, idempotency_key: freshKey() }
        return outcome(
          patiently(() => authority.execute(mandate, signed_action_grant, keyed, index % 2)),
        )
      }),
    )
    expect([count(outcomes, 'done'), count(outcomes, 'grant_consumed')]).toEqual([1, 99])
    const events = await apis.db
      .selectFrom('usage_events')
      .selectAll()
      .where('subject', '=', String(action.input['subject']))
      .execute()
    expect(events).toHaveLength(1)
    expect(await actionsOf(mandate.mandate_id)).toHaveLength(1)
  },
)

/** So many quotes of 49 usd, as that many requests would have made them. */
async function quotes(many: number): Promise<string[]> {
  const asked = { rail: 'packetops', tier: 'entry', idempotency_key: freshKey() } as const
  const { quote_id, total_usd } = (await authority.client.call('agent-quote', asked)).body.quote
  expect(total_usd).toBe(49)
  const columns = Object.keys(
    await apis.db
      .selectFrom('quotes')
      .selectAll()
      .where('quote_id', '=', quote_id)
      .executeTakeFirstOrThrow(),
  ).filter((name) => name !== 'quote_id')
  const named = sql.join(columns.map((name) => sql.ref(name)))
  const { rows } = await sql<{ quote_id: string }>`
    insert into quotes (quote_id, ${named})
    select 'qt_' || encode(sha256((quote_id || n)::bytea), 'hex'), ${named}
    from quotes, generate_series(1, ${many}) n where quote_id = ${quote_id} returning quote_id`.execute(
    apis.db,
  )
  return rows.map((row) => row.quote_id)
}

const runOf = (quote_id: string) => ({
  operation_id: 'start-agent-run',
  input: {
    rail: 'packetops',
    tier: 'entry',
    usage: 'synthetic',
    quote_id,
    on_gaps: 'report',
    input: {
      title: 'Evidence',
      profile: 'soc2_evidence_packet',
      items: [{ name: 'a.md', section: 'system_description', content: 'A ledger.' }],
    },
    accept_terms: true,
    idempotency_key: freshKey(),
  },
})

verifies(
  'authority.budget',
  'of 100 parallel runs of 49 under 490, exactly ten start',
  async () => {
    const limits = { per_action_usd: 49, total_usd: 490, actions_max: 200 }
    const mandate = await authority.issue({ limits })
    const granted: { action: ReturnType<typeof runOf>; grant: object }[] = []
    for (const quote_id of await quotes(100)) {
      const action = runOf(quote_id)
      const { signed_action_grant } = await authority.grant(mandate, action, 300)
      granted.push({ action, grant: signed_action_grant })
    }
    const outcomes = await Promise.all(
      granted.map(({ action, grant }, index) => {
        const keyed = { ...action, idempotency_key: freshKey() }
        return outcome(patiently(() => authority.execute(mandate, grant, keyed, index % 2)))
      }),
    )
    expect([count(outcomes, 'done'), count(outcomes, 'authority_denied')]).toEqual([10, 90])
    const row = await apis.db
      .selectFrom('authority_mandates')
      .selectAll()
      .where('mandate_id', '=', mandate.mandate_id)
      .executeTakeFirstOrThrow()
    expect([row.used_usd, row.used_actions]).toEqual([490, 10])
    const { agent_id } = authority
    const tasks = await apis.db
      .selectFrom('tasks')
      .select('task_id')
      .where('agent_id', '=', agent_id)
      .execute()
    expect(tasks).toHaveLength(10)
  },
)

verifies(
  'authority.revoke',
  'of 50 executions against a revocation none starts after it',
  async () => {
    const mandate = await authority.issue()
    const subject = freshKey()
    const granted = await Promise.all(
      times(50, async () => {
        const action = usage({ subject })
        const { signed_action_grant } = await patiently(() => authority.grant(mandate, action))
        return { action, grant: signed_action_grant }
      }),
    )
    const run = ({ action, grant }: (typeof granted)[number], index: number) => {
      const keyed = { ...action, idempotency_key: freshKey() }
      return outcome(patiently(() => authority.execute(mandate, grant, keyed, index % 2)))
    }
    const first = granted.slice(0, 25).map(run)
    await eventually(
      () => actionsOf(mandate.mandate_id),
      (rows) => rows.some(({ started_at }) => started_at !== null),
      60_000,
      5,
    )
    const revoking = authority.revoke(mandate)
    const executions = [...first, ...granted.slice(25).map(run)]
    const revoked = await revoking
    const outcomes = await Promise.all(executions)
    const rows = await actionsOf(mandate.mandate_id)
    const { revoked_at } = await apis.db
      .selectFrom('authority_mandates')
      .select('revoked_at')
      .where('mandate_id', '=', mandate.mandate_id)
      .executeTakeFirstOrThrow()
    const late = rows.filter(
      ({ started_at }) => started_at !== null && started_at.getTime() > Number(revoked_at),
    )
    expect(late).toEqual([])
    const done = rows.filter(({ state }) => state === 'done').length
    expect(count(outcomes, 'done')).toBe(done)
    expect(count(outcomes, 'authority_denied')).toBe(50 - done)
    expect(done > 0 && done < 50, `${done} of 50 were done`).toBe(true)
    const events = await apis.db
      .selectFrom('usage_events')
      .select('subject')
      .where('subject', '=', subject)
      .execute()
    expect(events).toHaveLength(done)
    expect(revoked.state).toBe('revoked')
    expect(await authority.revoke(mandate)).toMatchObject({ receipt: revoked.receipt })
    const unused = await apis.db
      .selectFrom('action_grants')
      .select('grant_id')
      .where('mandate_id', '=', mandate.mandate_id)
      .where('state', '=', 'issued')
      .execute()
    expect(unused).toEqual([])
  },
)

verifies('authority.guards', 'SQL refuses what no rule would permit', async () => {
  const mandate = await authority.issue()
  const action = usage()
  const { signed_action_grant, grant_id } = await authority.grant(mandate, action)
  const update = (set: string, where = `mandate_id = '${mandate.mandate_id}'`) =>
    sql.raw(`update authority_mandates set ${set} where ${where}`).execute(apis.db)
  await expect(update('used_usd = 501')).rejects.toThrow('check')
  await expect(update('used_usd = 1')).rejects.toThrow('not those of its actions')
  await expect(update('total_usd = 1000')).rejects.toThrow('do not change')
  await authority.execute(mandate, signed_action_grant, action)
  const back = sql.raw(`update action_grants set state = 'issued' where grant_id = '${grant_id}'`)
  await expect(back.execute(apis.db)).rejects.toThrow('stays consumed')
  const copy = (state: string) =>
    sql
      .raw(
        `insert into delegated_actions (action_id, grant_id, mandate_id, agent_id, credential_id, operation_id, input, input_sha256, call_id, operation_call_id, price_usd, state)
        select 'da_' || repeat('0', 64), grant_id, mandate_id, agent_id, credential_id, operation_id, '{}', input_sha256, call_id, 'other', price_usd, '${state}'
        from delegated_actions where grant_id = '${grant_id}'`,
      )
      .execute(apis.db)
  await expect(copy('reserved')).rejects.toThrow('delegated_actions_grant')
  const unused = await authority.grant(mandate, usage())
  const without = sql.raw(
    `insert into delegated_actions (action_id, grant_id, mandate_id, agent_id, credential_id, operation_id, input, input_sha256, call_id, operation_call_id, price_usd)
    select 'da_' || repeat('1', 64), '${unused.grant_id}', mandate_id, agent_id, credential_id, operation_id, '{}', input_sha256, call_id, 'another', price_usd
    from delegated_actions where grant_id = '${grant_id}'`,
  )
  await expect(without.execute(apis.db)).rejects.toThrow('the grant does not permit')
  await authority.revoke(mandate)
  await expect(
    update('revoked_at = null, revoked_by = null, revoke_reason = null'),
  ).rejects.toThrow('permits nothing more')
  await expect(without.execute(apis.db)).rejects.toThrow('not in force')
})
