import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { taskDepsOf } from '../../../activities/build-deps.ts'
import { loadKeyRings } from '../../../activities/keys/key-ring.ts'
import { transaction } from '../../../activities/store/db.ts'
import { provideInput } from '../../../activities/tasks/input.ts'
import { type AskedMove, recordTransition } from '../../../activities/tasks/transition.ts'
import { createClient, type InputOf, ProblemError } from '../../../api/surfaces/client.ts'
import { acceptanceText } from '../../../workflows/domain/agent-signature.ts'
import { digestOf } from '../../../workflows/domain/canonical-json.ts'
import { packetops } from '../../../workflows/domain/rails/packetops.ts'
import type { TaskEvent } from '../../../workflows/domain/task-lifecycle.ts'
import type { TaskEventData } from '../../../workflows/domain/task-terms.ts'
import { startComposedTasks } from '../../support/composed-tasks.ts'
import { decide, trustedAgent } from '../../support/registering-agent.ts'
import { verifies } from '../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let known: Awaited<ReturnType<typeof trustedAgent>>
beforeAll(async () => {
  apis = await startComposedTasks()
  known = await trustedAgent(hosts(), apis.operator, { rails: ['packetops'] })
}, 120_000)
afterAll(async () => {
  await apis?.stop()
})

const hosts = () => apis.hosts[0]!
const key = () => randomBytes(6).toString('hex')
const asAgent = () => createClient({ baseUrl: hosts().base, osUrl: hosts().os, agent: known.credential })
/** Signs for the configured origin, and calls where it listens. */
const asHolder = (statusToken: string) => {
  const { OS_URL } = apis.config
  const send = (url: string, init: RequestInit) => fetch(url.replace(OS_URL, hosts().os), init)
  const signAsAgent = known.agent.signText
  return createClient({ baseUrl: hosts().base, osUrl: OS_URL, fetch: send, statusToken, signAsAgent })
}
const asOperator = (statusToken: string) =>
  createClient({ baseUrl: hosts().base, osUrl: hosts().os, operator: apis.operator, statusToken })
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ProblemError ? error.code : String(error)),
  )

/** A task that its agent has agreed on. */
async function agreed(usage: 'synthetic' | 'operational') {
  const input_manifest = [{ name: 'packet', sha256: digestOf(packetops.sandboxInput), bytes: 1000 }]
  const asked = { rail: 'packetops', tier: 'standard', objective: 'a packet', on_gaps: 'report' } as const
  const begun = { ...asked, usage, input_manifest, idempotency_key: key() }
  const { task, task_token } = (await asAgent().call('preflight', begun)).body
  const prepared = await asAgent().call('contract-prepare', { task_token, idempotency_key: key() })
  const { contract_id, terms_sha256 } = prepared.body.contract
  const signature = known.agent.signText(acceptanceText(contract_id, terms_sha256))
  await asAgent().call('contract-accept', { contract_id, terms_sha256, signature, idempotency_key: key() })
  return { taskId: task.task_id, token: task_token }
}

/** As the operations of money move a task. */
const move = <Event extends TaskEvent>(taskId: string, event: Event, data: TaskEventData[Event]) => {
  const deps = taskDepsOf(apis.config, loadKeyRings(apis.config.SIGNING_KEYS_FILE), apis.db)
  const asked = { taskId, eventId: key(), event, actor: 'service', data } as AskedMove
  return transaction(apis.db, (tx) => recordTransition(deps, tx, asked, {}))
}
async function funded() {
  const task = await agreed('operational')
  await move(task.taskId, 'quote_issued', { quote_id: 'qt_1' })
  await move(task.taskId, 'credit_requested', { entitlement_id: 'en_1' })
  await move(task.taskId, 'credit_funded', { settlement_receipt_id: `rc_${'a'.repeat(64)}` })
  await transaction(apis.db, (tx) => provideInput(tx, task.taskId, packetops.sandboxInput))
  return task
}

const raise = async (token: string, code: InputOf<'task-exception-raise'>['code'] = 'caller_dispute') =>
  (await asHolder(token).call('task-exception-raise', { code, detail: 'wrong', idempotency_key: key() })).body.exception
const recovery = (exception_id: string, action: InputOf<'task-recover'>['action']) => ({
  ...{ exception_id, action, idempotency_key: key() },
})
const stateOf = async (token: string) => (await asHolder(token).call('task-ledger', {})).body.task.state
const reaches = (token: string, state: string) => expect.poll(() => stateOf(token), { timeout: 20_000 }).toBe(state)

verifies(
  'task.http.recover',
  'a replay leads back, another recovery is refused, and giving up closes the task',
  async () => {
    const { token } = await agreed('synthetic')
    const first = await raise(token)
    expect(await codeOf(asHolder(token).call('task-recover', recovery(first.exception_id, 'retry_step')))).toBe(
      'recovery_not_allowed',
    )
    expect(await codeOf(asHolder(token).call('task-recover', recovery(`ex_${'0'.repeat(64)}`, 'replay')))).toBe(
      'not_found',
    )
    const asked = recovery(first.exception_id, 'replay')
    const answers = await Promise.all([1, 2, 3].map(() => asHolder(token).call('task-recover', asked)))
    expect(answers.map(({ body }) => body)).toEqual([1, 2, 3].map(() => answers[0]!.body))
    expect(answers[0]).toMatchObject({
      status: 200,
      body: { recovery_request: { state: 'done' }, task: { state: 'trusted' }, exception: { state: 'resolved' } },
    })
    expect(await codeOf(asHolder(token).call('task-recover', recovery(first.exception_id, 'replay')))).toBe(
      'wrong_state',
    )
    const second = await raise(token)
    await asHolder(token).call('task-recover', recovery(second.exception_id, 'abandon'))
    await reaches(token, 'closed')
    expect((await asHolder(token).call('task-attestation', {})).body).toMatchObject({
      attestation: { kind: 'attestation', payload: { outcome: 'failed' } },
      verification_packet: { verified: true },
    })
  },
)

verifies('task.http.recover.reviewed', 'a paid task comes back once an operator says so', async () => {
  const { taskId, token } = await agreed('operational')
  const { exception_id } = await raise(token)
  const asked = recovery(exception_id, 'replay')
  const waiting = await asHolder(token).call('task-recover', asked)
  expect(waiting).toMatchObject({ status: 202, body: { recovery_request: { needs_review: true } } })
  const recovery_id = waiting.body.recovery_request!.recovery_id
  const list = await asOperator(token).call('loop-review-console', { kind: 'recovery' })
  expect(list.body.items).toMatchObject([{ subject_id: recovery_id, allowed_decisions: ['approve', 'reject'] }])
  await decide(hosts(), apis.operator, recovery_id, 'approve', { subject_kind: 'recovery' })
  expect(await stateOf(token)).toBe('trusted')
  expect(await asHolder(token).call('task-recover', asked)).toMatchObject({ status: 200 })
  const again = await raise(token)
  const byOperator = await asOperator(taskId).call('task-recover', recovery(again.exception_id, 'replay'))
  expect(byOperator).toMatchObject({
    status: 200,
    body: { recovery_request: { requested_by: expect.stringMatching(/^operator:/) } },
  })
})

verifies('task.http.review', 'approved, a paid task runs up to the review of its run, and on from there', async () => {
  const { taskId, token } = await funded()
  const list = await asOperator(token).call('loop-review-console', { kind: 'task' })
  expect(list.body.items).toMatchObject([{ subject_id: taskId, state: 'credit_funded', rail: 'packetops' }])
  const note = { subject_kind: 'task' as const }
  expect(await codeOf(decide(hosts(), apis.operator, taskId, 'hold', note))).toBe('wrong_state')
  await decide(hosts(), apis.operator, taskId, 'approve', note)
  await reaches(token, 'operating')
  const reviews = () => asOperator(token).call('loop-review-console', { kind: 'loop_step' })
  await expect.poll(async () => (await reviews()).body.total, { timeout: 20_000 }).toBe(1)
  const run = (await reviews()).body.items[0]!.subject_id
  const decided = await decide(hosts(), apis.operator, run, 'approve', { subject_kind: 'loop_step' })
  expect(decided.receipt).toMatchObject({ kind: 'review_decision' })
  await reaches(token, 'attested')
  expect((await asHolder(token).call('task-attestation', {})).body).toMatchObject({
    attestation: { subject: run, payload: { task_id: taskId } },
    verification_packet: { verified: true },
  })
})

verifies('task.http.review', 'rejected, a paid task fails and is closed', async () => {
  const { taskId, token } = await funded()
  await decide(hosts(), apis.operator, taskId, 'reject', { subject_kind: 'task' })
  await reaches(token, 'closed')
})
