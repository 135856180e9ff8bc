import { expect } from 'vitest'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import type { InputOf } from '../../../../api/http/client.ts'
import { openAgentUse } from '../../../support/agent-use.ts'
import { newAgentClient } from '../../../support/registering-agent.ts'
import { codeOf, key, taskStack } from '../../../support/task-calls.ts'
import { verifies } from '../../../verifies.ts'

const stack = taskStack()
const operator = () => stack.calls.asOperator('')
const inbox = async (query: InputOf<'inbox'> = {}) =>
  (await operator().call('inbox', { limit: '100', ...query })).body
const itemOf = async (id: string, query: InputOf<'inbox'> = {}) =>
  (await inbox(query)).items.find((item) => item.id === id)

verifies(
  'console.inbox',
  'decisions and stopped work are listed, who waits longest first',
  async () => {
    const { agent } = await newAgentClient(stack.calls.hosts).register()
    const { taskId, token } = await stack.calls.agreed('operational')
    await stack.calls.raise(token, 'caller_dispute', 'wrong amount')
    expect(await itemOf(agent.agent_id)).toMatchObject({
      action: 'decide',
      kind: 'agent',
      allowed_decisions: expect.arrayContaining(['approve', 'reject']),
    })
    expect(await itemOf(taskId)).toMatchObject({
      action: 'recover',
      kind: 'task',
      code: 'caller_dispute',
      rail: 'packetops',
      summary: expect.stringContaining('wrong amount'),
    })
    const { items, counts, total } = await inbox()
    const times = items.map(({ waiting_since }) => waiting_since)
    expect(times).toEqual([...times].sort())
    expect(total).toBe(counts.reduce((sum, { count }) => sum + count, 0))
    expect(total).toBe(items.length)
    const pages = await Promise.all(
      items.map(
        async (_, offset) => (await inbox({ offset: String(offset), limit: '1' })).items[0],
      ),
    )
    expect(pages.map((item) => item?.id)).toEqual(items.map(({ id }) => id))
  },
)

verifies('console.inbox', 'filters leave what they name', async () => {
  const { token } = await stack.calls.agreed('operational')
  await stack.calls.raise(token)
  await newAgentClient(stack.calls.hosts).register()
  const only = async (query: InputOf<'inbox'>) =>
    [...new Set((await inbox(query)).items.map(({ action, kind }) => `${action} ${kind}`))].sort()
  expect(await only({ action: 'decide', kind: 'agent' })).toEqual(['decide agent'])
  expect(await only({ action: 'recover' })).toEqual(['recover task'])
  expect(await only({ code: 'caller_dispute' })).toEqual(['recover task'])
  expect(await only({ action: 'close_difference' })).toEqual([])
  expect(await only({ rail: 'scout' })).toEqual([])
})

verifies('console.inbox', 'it is filtered by age, in the list of reviews as well', async () => {
  const { agent } = await newAgentClient(stack.calls.hosts).register()
  const id = agent.agent_id
  const day = { older_than_seconds: '86400' } as const
  const reviews = async () => {
    const { body } = await operator().call('loop-review-console', { ...day, kind: 'agent' })
    return [body.total, body.items.map(({ subject_id }) => subject_id)]
  }
  expect(await itemOf(id, day)).toBeUndefined()
  expect(await reviews()).toEqual([0, []])
  await stack.apis.db
    .updateTable('agents')
    .set({ trust_since: new Date(Date.now() - 2 * 86_400_000) })
    .where('agent_id', '=', id)
    .execute()
  expect(await inbox(day)).toMatchObject({ total: 1, items: [{ id, kind: 'agent' }] })
  expect(await reviews()).toEqual([1, [id]])
})

verifies('console.inbox', 'it is filtered by the money at stake, to the cent', async () => {
  const buyer = await openAgentUse(stack.calls.hosts, stack.apis.operator)
  const { payment_reference_id } = await buyer.pay((await buyer.quote()).quote_id)
  const stopped = await stack.calls.agreed('operational')
  const asked = { rail: 'packetops', tier: 'standard', task_token: stopped.token } as const
  await stack.calls.asAgent.call('agent-quote', { ...asked, idempotency_key: key() })
  await stack.calls.raise(stopped.token)
  const listed = async (min_amount_usd: string) => {
    const { items, total } = await inbox({ min_amount_usd })
    expect(total).toBe(items.length)
    return items.map(({ id }) => id)
  }
  for (const id of [payment_reference_id, stopped.taskId]) {
    const usd = (await itemOf(id))?.amount_usd ?? ''
    expect(Number(usd)).toBeGreaterThan(0)
    expect(await listed(usd)).toContain(id)
    expect(await listed(`${usd}.01`)).not.toContain(id)
  }
  const { agent } = await newAgentClient(stack.calls.hosts).register()
  expect(await listed('0')).not.toContain(agent.agent_id)
  const { items } = (await operator().call('loop-review-console', { min_amount_usd: '1' })).body
  const ids = items.map(({ subject_id }) => subject_id)
  expect(ids).toContain(payment_reference_id)
  expect(ids).not.toContain(agent.agent_id)
})

async function waitingAgents(count: number) {
  const agents = Array.from({ length: count }, () => newAgentClient(stack.calls.hosts).register())
  const ids = (await Promise.all(agents)).map(({ agent }) => agent.agent_id)
  const listed = await inbox({ action: 'decide', kind: 'agent', evidence_roots: 'true' })
  return ids.map((id) => {
    const root = listed.items.find((item) => item.id === id)?.evidence_root_sha256 ?? ''
    return { subject_id: id, evidence_root_sha256: root }
  })
}
const batch = (input: Partial<InputOf<'loop-review-record-batch'>>) =>
  operator().call('loop-review-record-batch', {
    subject_kind: 'agent',
    decision: 'approve',
    note: 'all known',
    items: [],
    idempotency_key: key(),
    ...input,
  })

verifies('console.batch', 'a dry run decides nothing and says what would happen', async () => {
  const items = await waitingAgents(2)
  const { outcomes } = (await batch({ items, dry_run: true })).body
  expect(outcomes).toEqual(
    items.map(({ subject_id: id }) => ({ id, state: 'trusted', receipt_id: null, refused: null })),
  )
  for (const { subject_id } of items) expect(await itemOf(subject_id)).toBeDefined()
})

verifies('console.batch', 'a changed subject is refused, the others are decided', async () => {
  const [one, two] = await waitingAgents(2)
  const items = [one!, { ...two!, evidence_root_sha256: '0'.repeat(64) }]
  const { outcomes } = (await batch({ items })).body
  expect(outcomes).toMatchObject([
    { id: one!.subject_id, state: 'trusted', refused: null },
    { id: two!.subject_id, state: null, refused: { code: 'evidence_changed' } },
  ])
  expect(outcomes[0]?.receipt_id).toMatch(/^rc_/)
  expect(await itemOf(one!.subject_id)).toBeUndefined()
  expect(await itemOf(two!.subject_id)).toBeDefined()
})

verifies('console.batch', 'a repeat finds the decisions, and each has its receipt', async () => {
  const items = await waitingAgents(2)
  const idempotency_key = key()
  const first = (await batch({ items, idempotency_key })).body.outcomes
  const again = (await batch({ items, idempotency_key })).body.outcomes
  expect(again.map(({ receipt_id }) => receipt_id)).toEqual(
    first.map(({ receipt_id }) => receipt_id),
  )
  expect(await Promise.all([batch({ items }), batch({ items })])).toHaveLength(2)
})

verifies('console.batch', 'subjects with other acceptance criteria are no batch', async () => {
  const tasks = []
  for (const criterion of ['totals agree', 'no duplicates'])
    tasks.push(await stack.calls.funded('operational', undefined, [criterion]))
  const listed = await inbox({ action: 'decide', kind: 'task', evidence_roots: 'true' })
  const items = tasks.map(({ taskId }) => {
    const item = listed.items.find(({ id }) => id === taskId)
    return { subject_id: taskId, evidence_root_sha256: item?.evidence_root_sha256 ?? '' }
  })
  expect(await codeOf(batch({ subject_kind: 'task', items }))).toBe('invalid_request')
  const [one] = items
  expect((await batch({ subject_kind: 'task', items: [one!] })).body.outcomes).toMatchObject([
    { refused: null },
  ])
})

verifies('console.work', 'a task is found by each of its names, and explained', async () => {
  const { taskId, token } = await stack.calls.agreed('operational')
  await stack.calls.raise(token)
  const found = async (query: InputOf<'work-list'>) =>
    (await operator().call('work-list', query)).body.items.map(({ id }) => id)
  const agentId = stack.calls.registered.agent.agent_id
  expect(await found({ q: taskId })).toEqual([taskId])
  expect(await found({ q: agentId, state: 'exception_open' })).toContain(taskId)
  expect(await found({ q: 'packetops', kind: 'payout' })).toEqual([])
  expect(await found({ q: `${taskId.slice(0, -1)}%` })).toEqual([])
  const { body } = await operator().call('work-read', { id: taskId })
  expect(body).toMatchObject({ kind: 'task', state: 'exception_open', owner: agentId })
  expect(body.explanation).toMatchObject({ code: 'caller_dispute' })
  const states = body.timeline.filter(({ what }) => what === 'state').map(({ name }) => name)
  expect(states[0]).toBe('created')
  expect(states.at(-1)).toBe('exception_open')
  expect(await codeOf(operator().call('work-read', { id: 'run_unknown' }))).toBe('not_found')
})

verifies('console.progress', 'an abandoned run shows only the steps that were done', async () => {
  const { taskId, token } = await stack.calls.funded()
  await stack.calls.decided(taskId, 'task', 'approve')
  await stack.calls.reviewOf(taskId)
  const progress = async () => (await operator().call('work-read', { id: taskId })).body.progress
  const waiting = { step: 'review_step', done: loopSteps.indexOf('review_step') }
  expect(await progress()).toMatchObject({ ...waiting, of: loopSteps.length })
  await stack.calls.raise(token)
  await operator().call('recovery-act', {
    act: 'abandon',
    ids: [taskId],
    reason: 'given up',
    idempotency_key: key(),
  })
  await stack.calls.reaches(token, 'closed')
  expect(await progress()).toMatchObject({ ...waiting, step: null, of: loopSteps.length })
})

verifies(
  'trace.explained',
  'a stopped task shows the trace of the call that stopped it',
  async () => {
    const { taskId, token } = await stack.calls.agreed('operational')
    const raised = await stack.calls.asHolder(token).call('task-exception-raise', {
      code: 'caller_dispute',
      detail: 'wrong',
      idempotency_key: key(),
    })
    const shown = async () =>
      (await operator().call('work-read', { id: taskId })).body.traces.map(
        ({ trace_id }) => trace_id,
      )
    await expect.poll(shown).toContain(raised.headers.get('x-trace-id'))
  },
)

verifies('console.work', 'a command is tried, carried out, and leaves a receipt', async () => {
  const { taskId, token } = await stack.calls.agreed('operational')
  await stack.calls.raise(token)
  const act = async (input: Partial<InputOf<'recovery-act'>>) =>
    (
      await operator().call('recovery-act', {
        act: 'abandon',
        ids: [taskId, `task-${'0'.repeat(64)}`],
        reason: 'the caller gave up',
        idempotency_key: key(),
        ...input,
      })
    ).body.outcomes
  expect(await act({ dry_run: true })).toMatchObject([
    { id: taskId, receipt_id: null, refused: null },
    { refused: { code: 'not_found' } },
  ])
  expect(await stack.calls.stateOf(token)).toBe('exception_open')
  const idempotency_key = key()
  const [done] = await act({ ids: [taskId], idempotency_key })
  expect(done).toMatchObject({ refused: null, receipt_id: expect.stringMatching(/^rc_/) })
  expect(await stack.calls.stateOf(token)).not.toBe('exception_open')
  const [again] = await act({ ids: [taskId], idempotency_key })
  expect(again?.refused).toBeNull()
})

verifies(
  'console.agents',
  'agents are found by name, and pauses are listed with who set them',
  async () => {
    const { agent } = await newAgentClient(stack.calls.hosts).register({ name: '100%_sure' })
    const found = (await operator().call('agents-list', { q: '100%_s' })).body.items
    expect(found).toMatchObject([{ agent_id: agent.agent_id, trust_state: 'submitted' }])
    expect((await operator().call('agents-list', { q: '100__s' })).body.items).toEqual([])
    const control = { scope: 'payouts', reason: 'look', idempotency_key: key() } as const
    await operator().call('pause-set', { ...control, paused: true })
    const paused = (await operator().call('pauses', {})).body
    expect(paused.active).toMatchObject([{ scope: 'payouts', target: null, reason: 'look' }])
    await operator().call('pause-set', { ...control, paused: false, idempotency_key: key() })
    const resumed = (await operator().call('pauses', {})).body
    expect(resumed.active).toEqual([])
    expect(resumed.changes.slice(0, 2).map(({ paused: was }) => was)).toEqual([false, true])
  },
)

verifies('console.money', 'balances, the cap and what moved are shown', async () => {
  for (const [span, points] of [
    ['day', 24],
    ['month', 30],
  ] as const) {
    const { body } = await operator().call('money', { span })
    expect(body.series).toHaveLength(points)
    expect(body.daily_cap).toEqual({ cap_usdc: '100', used_usdc: '0', left_usdc: '100' })
  }
})
