import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { acceptanceText } from '#domain/agents/signature.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { allowedTaskEvents, type TaskState } from '#domain/tasks/lifecycle.ts'
import { taskDepsOf } from '../../../../activities/container.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { openTaskException } from '../../../../activities/store/tasks/task-exceptions.ts'
import { findTask, type TaskRow } from '../../../../activities/store/tasks/tasks.ts'
import type { InputOf } from '../../../../api/http/client.ts'
import { ProblemError } from '../../../../api/http/client.ts'
import { openTaskRows } from '../../../activities/tasks/fixture.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { codeOf, key, openTaskCalls } from '../../../support/task-calls.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let calls: Awaited<ReturnType<typeof openTaskCalls>>
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  calls = await openTaskCalls(apis)
})
afterAll(async () => {
  await apis?.stop()
})

type Task = { token: string; row: TaskRow; exceptionId: string }
/** `needs`: what there has to be, for an operation that names more than the task. */
type Act = {
  name: string
  allowedIn: readonly TaskState[]
  needs?: 'contract_id' | 'run_id'
  call(task: Task): Promise<unknown>
}

/** The states in which a task waits for a caller; the service leaves the others by itself. */
const resting: readonly TaskState[] = [
  ...([
    'preflight_checked',
    'contract_ready',
    'trusted',
    'quoted',
    'credit_pending',
    'credit_funded',
  ] as const),
  ...([
    'operating',
    'evidence_partial',
    'attested',
    'exception_open',
    'replay_ready',
    'closed',
  ] as const),
]

const stopped: readonly TaskState[] = ['exception_open', 'replay_ready']
const recover =
  (action: InputOf<'task-recover'>['action'], input?: unknown): Act['call'] =>
  ({ token, exceptionId: exception_id }) => {
    const more = input === undefined ? {} : { input: input as Record<string, unknown> }
    return calls
      .asHolder(token)
      .call('task-recover', { exception_id, action, ...more, idempotency_key: key() })
  }
const review =
  (decision: 'approve' | 'reject'): Act['call'] =>
  ({ row }) =>
    calls.decided(row.task_id, 'task', decision)

/** Every operation that moves a task by an event of its own. */
const commands: readonly Act[] = [
  {
    name: 'contract-prepare',
    allowedIn: ['preflight_checked'],
    call: ({ token: task_token }) =>
      calls.asAgent.call('contract-prepare', { task_token, idempotency_key: key() }),
  },
  {
    name: 'contract-accept',
    allowedIn: ['contract_ready'],
    needs: 'contract_id',
    call: ({ row: { task_id, contract_id: named } }) => {
      const contract_id = String(named)
      const terms_sha256 = digestOf({ contract: 'terms', task_id })
      const signature = calls.agent.signText(acceptanceText(contract_id, terms_sha256))
      return calls.asAgent.call('contract-accept', {
        contract_id,
        terms_sha256,
        signature,
        idempotency_key: key(),
      })
    },
  },
  {
    name: 'agent-quote',
    allowedIn: ['trusted'],
    call: ({ token: task_token }) =>
      calls.asAgent.call('agent-quote', {
        rail: 'packetops',
        tier: 'standard',
        task_token,
        idempotency_key: key(),
      }),
  },
  {
    name: 'self-serve-loop-submit',
    allowedIn: ['trusted', 'quoted', 'credit_pending', 'credit_funded'],
    needs: 'contract_id',
    call: ({ token: task_token, row }) =>
      calls.asAgent.call('self-serve-loop-submit', {
        task_token,
        contract_id: String(row.contract_id),
        input: { another: 'input' },
        idempotency_key: key(),
      }),
  },
  {
    name: 'task-exception-raise',
    allowedIn: resting.filter((state) => allowedTaskEvents(state).includes('exception_raised')),
    call: ({ token }) =>
      calls.asHolder(token).call('task-exception-raise', {
        code: 'caller_dispute',
        detail: 'wrong',
        idempotency_key: key(),
      }),
  },
  {
    name: 'task-replay-prepare',
    allowedIn: ['exception_open'],
    call: ({ token, exceptionId: exception_id }) =>
      calls.asHolder(token).call('task-replay-prepare', { exception_id, idempotency_key: key() }),
  },
  { name: 'task-recover replay', allowedIn: stopped, call: recover('replay') },
  { name: 'task-recover abandon', allowedIn: stopped, call: recover('abandon') },
  {
    name: 'task-recover supply_evidence',
    allowedIn: [...stopped, 'evidence_partial'],
    call: recover('supply_evidence', packetops.sandboxInput),
  },
  {
    name: 'loop-review-record approve',
    allowedIn: ['credit_funded', 'evidence_partial'],
    call: review('approve'),
  },
  { name: 'loop-review-record reject', allowedIn: ['credit_funded'], call: review('reject') },
  {
    name: 'loop-review-record loop_step',
    allowedIn: ['operating'],
    needs: 'run_id',
    call: ({ row }) => calls.decided(String(row.run_id), 'loop_step', 'approve'),
  },
]

const openTask = async (state: TaskState): Promise<Task> => {
  const token = `tk_${randomBytes(32).toString('base64url')}`
  const { taskIn } = openTaskRows(
    apis.db,
    taskDepsOf(apis.config, loadKeyRings(apis.config.SIGNING_KEYS_FILE), apis.db),
  )
  const named = `task-${createHash('sha256').update(token).digest('hex')}`
  const agent_id = calls.registered.agent.agent_id
  const row = await taskIn(state, { agent_id, usage: 'operational' }, { named })
  const exception = await openTaskException(apis.db, row.task_id)
  return { token, row, exceptionId: exception?.exception_id ?? `ex_${'0'.repeat(64)}` }
}
const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'done',
    (error: unknown) => (error instanceof ProblemError ? error.problem : error),
  )

for (const state of resting)
  verifies(
    'task.http.out-of-turn.table',
    `${state}: what is out of turn is refused, and what is allowed is named`,
    async () => {
      const task = await openTask(state)
      const { task_id, sequence } = task.row
      const outOfTurn = commands.filter(
        ({ allowedIn, needs }) =>
          !allowedIn.includes(state) && (!needs || task.row[needs] !== null),
      )
      for (const { name, call } of outOfTurn) {
        const expected = {
          status: 409,
          code: 'wrong_state',
          allowed_events: allowedTaskEvents(state),
        }
        expect(await refusal(call(task)), name).toMatchObject(expected)
        expect(await findTask(apis.db, task_id), name).toMatchObject({ state, sequence })
      }
    },
  )

verifies(
  'task.http.unknown',
  'an unknown token is 404 at every operation that takes one',
  async () => {
    const token = `tk_${'A'.repeat(43)}`
    const holder = calls.asHolder(token)
    const exception_id = `ex_${'0'.repeat(64)}`
    const answers = [
      holder.call('task-ledger', {}),
      holder.call('task-attestation', {}),
      holder.call('task-exceptions', {}),
      holder.call('task-replay-package', {}),
      holder.call('agent-status', {}),
      holder.call('task-exception-raise', {
        code: 'caller_dispute',
        detail: 'x',
        idempotency_key: key(),
      }),
      holder.call('task-recover', { exception_id, action: 'replay', idempotency_key: key() }),
      holder.call('task-replay-prepare', { exception_id, idempotency_key: key() }),
      calls.asAgent.call('contract-prepare', { task_token: token, idempotency_key: key() }),
      calls.asAgent.call('agent-quote', { rail: 'packetops', tier: 'standard', task_token: token }),
    ]
    expect(await Promise.all(answers.map(codeOf))).toEqual(answers.map(() => 'not_found'))
  },
)
