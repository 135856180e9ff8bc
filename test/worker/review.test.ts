import { expect } from 'vitest'
import { openAgentUse } from '../support/agent-use.ts'
import { runCli } from '../support/cli.ts'
import { newAgentClient } from '../support/registering-agent.ts'
import { taskStack } from '../support/task-calls.ts'
import { verifies } from '../verifies.ts'

const stack = taskStack()

const review = (...args: string[]) =>
  runCli(
    {
      ...stack.apis.env,
      BASE_URL: stack.calls.hosts.base,
      OPERATOR_CREDENTIAL: stack.apis.operator,
    },
    'review',
    ...args,
  )
const seenIn = (text: string) => /^seen ([0-9a-f]{64})$/m.exec(text)?.[1] ?? ''

verifies('review.commands', 'a waiting agent is listed, shown and approved', async () => {
  const { agent } = await newAgentClient(stack.calls.hosts).register({ name: 'Northwind' })
  const listed = await review('list', '--kind', 'agent')
  expect(listed).toMatchObject({ code: 0, out: expect.stringContaining(agent.agent_id) })
  const shown = await review('show', agent.agent_id)
  expect(shown.out).toMatch(/"requested_scopes": \[/)
  const by = ['--note', 'known to us', '--seen'] as const
  const stale = await review('approve', agent.agent_id, ...by, '0'.repeat(64))
  expect(stale).toMatchObject({ code: 1, text: expect.stringContaining('evidence_changed') })
  const decided = await review('approve', agent.agent_id, ...by, seenIn(shown.out), '--json')
  expect(JSON.parse(decided.out)).toMatchObject({
    review_decision: { decision: 'approve', note: 'known to us' },
    subject: { state: 'trusted' },
  })
  expect((await review('list', '--kind', 'agent', '--json')).out).not.toContain(agent.agent_id)
  const older = await review('list', '--older-than', '400d', '--min-amount', '5')
  expect(older.out).toContain('nothing waits for a decision')
  expect((await review('list', '--older-than', 'soon')).text).toContain('such as 4h')
})

verifies('review.commands', 'the criteria of a run are judged by their numbers', async () => {
  const { taskId } = await stack.calls.funded('operational', undefined, ['complete', 'dated'])
  await stack.calls.decided(taskId, 'task', 'approve')
  const run = await stack.calls.reviewOf(taskId)
  const { out } = await review('show', run)
  expect(out).toContain('criteria:\n  1: complete\n  2: dated\n')
  for (const part of ['input', 'result', 'findings', 'gaps', 'checks'])
    expect(out).toContain(`${part}: `)
  const by = [run, '--note', 'read', '--seen', seenIn(out)] as const
  const unknown = await review('approve', ...by, '--met', '3')
  expect(unknown).toMatchObject({ code: 1, text: expect.stringContaining('there are 2 criteria') })
  const judged = ['--met', '1:all sections', '--not-met', '2'] as const
  expect(JSON.parse((await review('approve', ...by, ...judged, '--json')).out)).toMatchObject({
    review_decision: {
      judgements: [
        { criterion: 'complete', verdict: 'met', note: 'all sections' },
        { criterion: 'dated', verdict: 'not_met', note: '' },
      ],
    },
  })
})

verifies('review.commands', 'all of a kind are decided by what a dry run listed', async () => {
  const names = ['Northwind', 'Southwind']
  const agents = await Promise.all(
    names.map((name) => newAgentClient(stack.calls.hosts).register({ name })),
  )
  const batch = ['approve', '--all', '--kind', 'agent', '--note', 'known'] as const
  const tried = await review(...batch, '--dry-run')
  for (const { agent } of agents) expect(tried.out).toContain(`${agent.agent_id} would be trusted`)
  const blind = await review(...batch)
  expect(blind).toMatchObject({ code: 1, text: expect.stringContaining('--dry-run') })
  const decided = await review(...batch, '--seen', seenIn(tried.out))
  for (const { agent } of agents) expect(decided.out).toContain(`${agent.agent_id} is trusted, rc_`)
  expect((await review(...batch, '--dry-run')).out).toContain('nothing of this kind waits')
})

verifies('review.commands', 'a batch takes those that --where selects, and no others', async () => {
  const names = ['Upwind', 'Downwind']
  const [first, other] = await Promise.all(
    names.map((name) => newAgentClient(stack.calls.hosts).register({ name })),
  )
  const id = first?.agent.agent_id ?? ''
  const batch = ['reject', '--all', '--kind', 'agent', '--note', 'unknown'] as const
  const where = ['--where', `subject_id=${id}`] as const
  const { outcomes, seen } = JSON.parse(
    (await review(...batch, ...where, '--dry-run', '--json')).out,
  )
  expect(outcomes).toMatchObject([{ id, state: 'rejected', receipt_id: null }])
  expect((await review(...batch, ...where, '--seen', seen)).out).toContain(`${id} is rejected, rc_`)
  const left = JSON.parse((await review('list', '--kind', 'agent', '--json')).out).items
  expect(left).toMatchObject([{ subject_id: other?.agent.agent_id }])
  const unknown = await review(...batch, '--where', 'colour=blue', '--dry-run')
  expect(unknown).toMatchObject({ code: 1, text: expect.stringContaining('NAME=VALUE') })
})

verifies(
  ['review.commands', 'review.revised'],
  'runs are revised together by a parameter',
  async () => {
    const tasks = [await stack.calls.funded('operational'), await stack.calls.funded('operational')]
    const runs: string[] = []
    for (const { taskId } of tasks) {
      await stack.calls.decided(taskId, 'task', 'approve')
      runs.push(await stack.calls.reviewOf(taskId))
    }
    const batch = ['revise', '--all', '--kind', 'loop_step', '--note', 'another date'] as const
    const dated = ['--rail', 'packetops', '--parameter', 'as_of="2031-01-01"'] as const
    const tried = await review(...batch, ...dated, '--dry-run')
    for (const run of runs) expect(tried.out).toContain(`${run} would be revise`)
    const seen = ['--seen', seenIn(tried.out)] as const
    const foreign = await review(...batch, '--parameter', 'budget_minor=5', ...seen)
    expect(foreign.out).toContain('budget_minor is no parameter of packetops')
    const input = await review(...batch, '--input', 'input.json', ...seen)
    expect(input).toMatchObject({ code: 1, text: expect.stringContaining('for one run') })
    const done = await review(...batch, ...dated, ...seen)
    for (const run of runs) expect(done.out).toContain(`${run} is revise, rc_`)
    for (const { taskId } of tasks) await stack.calls.reviewOf(taskId)
  },
)

verifies(['review.commands', 'review.uploads'], 'a part is read in slices', async () => {
  const { taskId } = await stack.calls.funded()
  const whole = JSON.parse((await review('show', taskId, '--part', 'terms', '--json')).out)
  expect(whole).toMatchObject({ name: 'terms', offset: 0, next_offset: null })
  const rest = await review('show', taskId, '--part', 'terms', '--offset', '5')
  expect(rest.out).toBe(`${whole.text.slice(5)}\nthis was the end\n`)
  const unknown = await review('show', taskId, '--part', 'result')
  expect(unknown).toMatchObject({ code: 1, text: expect.stringContaining('not_found') })
})

const command = (...args: string[]) =>
  runCli(
    {
      ...stack.apis.env,
      BASE_URL: stack.calls.hosts.base,
      OPERATOR_CREDENTIAL: stack.apis.operator,
    },
    ...args,
  )
const answerOf = async (...args: string[]) => JSON.parse((await command(...args, '--json')).out)

verifies('agents.commands', 'an agent is found, trusted within limits and stopped', async () => {
  const { agent } = await newAgentClient(stack.calls.hosts).register({
    name: 'Eastwind',
    rails: ['packetops'],
  })
  const id = agent.agent_id
  expect((await command('agents', 'list', '--search', 'Eastw')).out).toContain(id)
  const { items } = await answerOf('agents', 'list', '--search', id)
  expect(items).toMatchObject([{ agent_id: id, trust_state: 'submitted' }])
  const seen = async () => ['--seen', seenIn((await command('agents', 'show', id)).out)] as const
  const by = [id, '--note', 'known'] as const
  const limits = ['--max-usd', '500', '--concurrent-runs', '2', '--rails', 'packetops'] as const
  const blind = await command('agents', 'approve', ...by)
  expect(blind).toMatchObject({ code: 1, text: expect.stringContaining('--seen') })
  const trusted = await answerOf('agents', 'approve', ...by, ...(await seen()), ...limits)
  const set = { max_usd: 500, concurrent_runs: 2, rails: ['packetops'] }
  expect(trusted).toMatchObject({
    subject: { state: 'trusted' },
    receipt: { payload: { limits: set } },
  })
  expect(await answerOf('agents', 'limits', id)).toEqual({ agent_id: id, limits: set })
  const fewer = [
    'limits',
    id,
    '--max-usd',
    '100',
    '--rails',
    'none',
    '--reason',
    'a trial',
  ] as const
  expect(await answerOf('agents', ...fewer)).toMatchObject({
    limits: { max_usd: 100, concurrent_runs: 2 },
    previous_limits: set,
    receipt: { payload: { act: 'agent_limits_set', reason: 'a trial' } },
  })
  expect((await command('agents', ...fewer.slice(0, -2))).text).toContain('--reason')
  expect(await answerOf('agents', 'credentials', id)).toMatchObject({
    access_key: { credential_state: 'pending' },
    signing_keys: [{ version: 1 }],
  })
  const stopped = await command('agents', 'pause', ...by, ...(await seen()))
  expect(stopped.out).toMatch(/subject\.state +suspended/)
  expect((await command('agents', 'show', `agt_${'0'.repeat(64)}`)).text).toContain('no agent')
})

verifies('payments.commands', 'a payment is shown, confirmed and taken back', async () => {
  const agent = await openAgentUse(stack.calls.hosts, stack.apis.operator)
  const { payment_reference_id: id } = await agent.pay((await agent.quote()).quote_id)
  expect((await command('payments', 'list')).out).toContain(id)
  const shown = async () => seenIn((await command('payments', 'show', id)).out)
  const by = [id, '--note', 'on the account of today'] as const
  const confirmed = await answerOf('payments', 'confirm', ...by, '--seen', await shown())
  expect(confirmed).toMatchObject({
    subject: { subject_kind: 'payment_reference', state: 'verified' },
  })
  expect((await command('payments', 'list')).out).toContain('no payment waits')
  const refunded = await answerOf('payments', 'refund', ...by, '--seen', await shown())
  expect(refunded).toMatchObject({ review_decision: { decision: 'revise' } })
  const { agent_id } = agent.registered.agent
  const other = await command('payments', 'show', agent_id)
  expect(other).toMatchObject({ code: 1, text: expect.stringContaining('is no payment') })
  expect((await command('payments', 'summary')).out).toMatch(/balance_usdc .*cap_left_usdc/)
})
