import { expect } from 'vitest'
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
  const decided = await review('approve', agent.agent_id, ...by, seenIn(shown.out))
  expect(JSON.parse(decided.out)).toMatchObject({
    review_decision: { decision: 'approve', note: 'known to us' },
    subject: { state: 'trusted' },
  })
  expect((await review('list', '--kind', 'agent', '--json')).out).not.toContain(agent.agent_id)
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
  expect(JSON.parse((await review('approve', ...by, ...judged)).out)).toMatchObject({
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

verifies('review.commands', 'agents and payments are listed as tables and as JSON', async () => {
  const { agent } = await newAgentClient(stack.calls.hosts).register({ name: 'Eastwind' })
  const command = (...args: string[]) =>
    runCli(
      {
        ...stack.apis.env,
        BASE_URL: stack.calls.hosts.base,
        OPERATOR_CREDENTIAL: stack.apis.operator,
      },
      ...args,
    )
  expect((await command('agents', 'list', '--search', 'Eastw')).out).toContain(agent.agent_id)
  const { items } = JSON.parse((await command('agents', 'list', '--json')).out)
  expect(items[0]).toMatchObject({ agent_id: agent.agent_id, trust_state: 'submitted' })
  expect((await command('payments', 'list')).out).toContain('no payment waits')
  expect((await command('payments', 'summary')).out).toMatch(/balance_usdc .*cap_left_usdc/)
})
