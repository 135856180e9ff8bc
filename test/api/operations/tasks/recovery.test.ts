import { afterAll, beforeAll, expect } from 'vitest'
import type { InputOf } from '../../../../api/http/client.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { codeOf, key, openTaskCalls } from '../../../support/task-calls.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let calls: Awaited<ReturnType<typeof openTaskCalls>>
beforeAll(async () => {
  apis = await startComposedTasks()
  calls = await openTaskCalls(apis)
}, 120_000)
afterAll(async () => {
  await apis?.stop()
})

const recovery = (exception_id: string, action: InputOf<'task-recover'>['action']) => ({
  exception_id,
  action,
  idempotency_key: key(),
})

verifies(
  'task.http.recover',
  'a replay resumes, a second recovery is refused, abandoning closes',
  async () => {
    const { token } = await calls.agreed('synthetic')
    const first = await calls.raise(token)
    expect(
      await codeOf(
        calls.asHolder(token).call('task-recover', recovery(first.exception_id, 'retry_step')),
      ),
    ).toBe('recovery_not_allowed')
    expect(
      await codeOf(
        calls.asHolder(token).call('task-recover', recovery(`ex_${'0'.repeat(64)}`, 'replay')),
      ),
    ).toBe('not_found')
    const asked = recovery(first.exception_id, 'replay')
    const answers = await Promise.all(
      [1, 2, 3].map(() => calls.asHolder(token).call('task-recover', asked)),
    )
    expect(answers.map(({ body }) => body)).toEqual([1, 2, 3].map(() => answers[0]!.body))
    expect(answers[0]).toMatchObject({
      status: 200,
      body: {
        recovery_request: { state: 'done' },
        task: { state: 'trusted' },
        exception: { state: 'resolved' },
      },
    })
    expect(
      await codeOf(
        calls.asHolder(token).call('task-recover', recovery(first.exception_id, 'replay')),
      ),
    ).toBe('wrong_state')
    const second = await calls.raise(token)
    await calls.asHolder(token).call('task-recover', recovery(second.exception_id, 'abandon'))
    await calls.reaches(token, 'closed')
    expect((await calls.asHolder(token).call('task-attestation', {})).body).toMatchObject({
      attestation: { kind: 'attestation', payload: { outcome: 'failed' } },
      verification_packet: { verified: true },
    })
  },
)

verifies(
  'task.http.recover.reviewed',
  'a paid task comes back once an operator says so',
  async () => {
    const { taskId, token } = await calls.agreed('operational')
    const { exception_id } = await calls.raise(token)
    const asked = recovery(exception_id, 'replay')
    const waiting = await calls.asHolder(token).call('task-recover', asked)
    expect(waiting).toMatchObject({
      status: 202,
      body: { recovery_request: { needs_review: true } },
    })
    const recovery_id = waiting.body.recovery_request!.recovery_id
    const list = await calls.asOperator(token).call('loop-review-console', { kind: 'recovery' })
    expect(list.body.items).toMatchObject([
      { subject_id: recovery_id, allowed_decisions: ['approve', 'reject'] },
    ])
    await calls.decided(recovery_id, 'recovery', 'approve')
    expect(await calls.stateOf(token)).toBe('trusted')
    expect(await calls.asHolder(token).call('task-recover', asked)).toMatchObject({ status: 200 })
    const again = await calls.raise(token)
    const byOperator = await calls
      .asOperator(taskId)
      .call('task-recover', recovery(again.exception_id, 'replay'))
    expect(byOperator).toMatchObject({
      status: 200,
      body: { recovery_request: { requested_by: expect.stringMatching(/^operator:/) } },
    })
  },
)

verifies(
  'task.http.review',
  'an approved paid task runs to its review and continues from there',
  async () => {
    const { taskId, token } = await calls.funded()
    const list = await calls.asOperator(token).call('loop-review-console', { kind: 'task' })
    expect(list.body.items).toMatchObject([
      { subject_id: taskId, state: 'credit_funded', rail: 'packetops' },
    ])
    expect(await codeOf(calls.decided(taskId, 'task', 'hold'))).toBe('wrong_state')
    await calls.decided(taskId, 'task', 'approve')
    await calls.reaches(token, 'operating')
    const reviews = () => calls.asOperator(token).call('loop-review-console', { kind: 'loop_step' })
    await expect.poll(async () => (await reviews()).body.total, { timeout: 20_000 }).toBe(1)
    const run = (await reviews()).body.items[0]!.subject_id
    const decided = await calls.decided(run, 'loop_step', 'approve')
    expect(decided.receipt).toMatchObject({ kind: 'review_decision' })
    await calls.reaches(token, 'attested')
    expect((await calls.asHolder(token).call('task-attestation', {})).body).toMatchObject({
      attestation: { subject: run, payload: { task_id: taskId } },
      verification_packet: { verified: true },
    })
  },
)

verifies('task.http.review', 'rejected, a paid task fails and is closed', async () => {
  const { taskId, token } = await calls.funded()
  await calls.decided(taskId, 'task', 'reject')
  await calls.reaches(token, 'closed')
})
