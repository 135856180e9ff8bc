import { expect, test } from 'vitest'
import type { TaskState } from '#domain/tasks/lifecycle.ts'
import { taskWait, type WaitingTask } from '#domain/tasks/wait.ts'

const since = '2026-11-23T10:00:00.000Z'
const taskId = `task-${'a'.repeat(64)}`
const task: WaitingTask = {
  taskId,
  state: 'operating',
  since,
  agentId: 'agt_1',
  rail: 'tokenops',
  tier: 'entry',
  contractId: 'ct_1',
  quoteId: 'qt_1',
  entitlementId: 'ent_1',
  hasInput: true,
  isReviewed: true,
  runId: 'run_1',
  exception: null,
  gaps: [],
  review: null,
}
const key = { idempotency_key: '<new key>' }
const call = (path: string, args: object) => ({
  by: 'agent',
  call: `POST ${path}`,
  arguments: { ...args, ...key },
  choices: [],
  command: null,
})
const waitIn = (state: TaskState, change: Partial<WaitingTask> = {}) =>
  taskWait({ ...task, ...change, state })
const token = { task_token: '<task token>' }

test('a task without an agent waits for the review of its order', () => {
  for (const state of ['preflight_checked', 'contract_ready'] as const) {
    const wait = waitIn(state, { agentId: null })
    expect(wait).toMatchObject({ waiting_for: ['review'], action: null })
    expect(wait.what).toBe('an operator to review its work order')
  }
})

test('each state of an agent waits for one call with its ids', () => {
  const waits: [TaskState, string, string[], object][] = [
    ['preflight_checked', 'a contract', [], call('/api/agents/contracts', token)],
    [
      'contract_ready',
      'the agent to accept the contract',
      [],
      call('/api/agents/contracts/ct_1', {
        terms_sha256: '<of the contract>',
        signature: '<Ed25519>',
      }),
    ],
    [
      'trusted',
      'a quote',
      ['credit'],
      call('/api/agents/quote', { rail: 'tokenops', tier: 'entry', ...token }),
    ],
    [
      'quoted',
      'a payment challenge',
      ['credit'],
      call('/api/agent-use', { mode: 'create_payment_challenge', quote_id: 'qt_1' }),
    ],
    [
      'credit_pending',
      'the payment',
      ['credit'],
      call('/api/agents/credits/ent_1', { payment_reference_id: '<of the payment>' }),
    ],
  ]
  for (const [state, what, waiting_for, action] of waits)
    expect(waitIn(state), state).toEqual({ what, waiting_for, since, gaps: [], action })
})

test('each other state says what it waits for and asks for no call', () => {
  const waits: [TaskState, string, string[]][] = [
    ['trust_pending', 'an operator to trust the agent', ['review']],
    ['queued', 'a free run slot', []],
    ['operating', 'its run run_1', []],
    ['result_ready', 'its run run_1', []],
    ['callback_pending', 'the callback to be delivered', ['callback']],
    ['closed', 'nothing: the task is closed', []],
    ['created', 'the service', []],
    ['attested', 'the service', []],
  ]
  for (const [state, what, waiting_for] of waits)
    expect(waitIn(state), state).toEqual({ what, waiting_for, since, gaps: [], action: null })
  expect(waitIn('operating', { runId: null }).what).toBe('its run')
})

test('a funded task names its input, its review or its queue', () => {
  const review = { kind: 'task', id: 'rv_1', since: 'later' } as const
  expect(waitIn('credit_funded')).toEqual({
    what: 'its run to be queued',
    waiting_for: [],
    since,
    gaps: [],
    action: null,
  })
  expect(waitIn('credit_funded', { hasInput: false, isReviewed: false, review })).toEqual({
    what: 'the input and an operator to approve the start',
    waiting_for: ['input', 'review'],
    since: 'later',
    gaps: [],
    action: call('/api/agent-self-serve-rail-loop', {
      ...token,
      contract_id: 'ct_1',
      input: '<the input>',
    }),
  })
  expect(waitIn('credit_funded', { isReviewed: false, review })).toMatchObject({
    what: 'an operator to approve the start',
    waiting_for: ['review'],
    action: { by: 'operator', choices: ['approve', 'reject'] },
  })
  expect(waitIn('credit_funded', { isReviewed: false }).action).toBeNull()
})

test('an exception waits for its first recovery or for its review', () => {
  const exception = { id: 'ex_1', code: 'input_invalid', recoveries: ['correct_input', 'abandon'] }
  const command = (action: string) =>
    `agent-rails recover act ${taskId} ${action} --operator NAME --reason WHY`
  expect(waitIn('exception_open', { exception })).toEqual({
    what: 'a recovery from input_invalid',
    waiting_for: ['recovery'],
    since,
    gaps: [],
    action: {
      by: 'agent',
      call: 'POST /api/agents/tasks/{token}/recover',
      arguments: {
        exception_id: 'ex_1',
        action: 'correct_input',
        input: '<the whole input>',
        note: '<why>',
        ...key,
      },
      choices: ['correct_input', 'abandon'],
      command: `${command('correct_input')} --input FILE`,
    },
  })
  const replay = { ...exception, recoveries: ['replay'] }
  expect(waitIn('replay_ready', { exception: replay })).toMatchObject({
    what: 'the replay after input_invalid',
    action: { arguments: { action: 'replay' }, command: command('replay') },
  })
  const review = { kind: 'recovery', id: 'rec_1', since } as const
  expect(waitIn('exception_open', { exception, review })).toMatchObject({
    what: 'an operator to review the recovery from input_invalid',
    action: { choices: ['approve', 'reject'] },
  })
})

test('a review of trust may be put on hold', () => {
  const review = { kind: 'agent', id: 'agt_1', since } as const
  expect(waitIn('trust_pending', { review })).toMatchObject({
    what: 'an operator to trust the agent',
    action: { choices: ['approve', 'reject', 'hold'] },
  })
  expect(waitIn('queued', { review }).what).toBe('a free run slot')
})

test('missing evidence names each code once', () => {
  const gap = (code: string, kind: 'needed' | 'advisory' = 'needed') => {
    return { code, kind, detail: 'x', filled_by: 'y', pointers: ['/a'] }
  }
  const gaps = [gap('no_price'), gap('no_day'), gap('no_price'), gap('no_period', 'advisory')]
  expect(waitIn('evidence_partial', { gaps })).toMatchObject({
    what: 'evidence that the input lacks: no_price, no_day',
    waiting_for: ['evidence'],
    gaps,
    action: { choices: ['supply_evidence'] },
  })
  expect(waitIn('evidence_partial')).toMatchObject({ what: 'evidence that the input lacks' })
})
