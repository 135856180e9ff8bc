import { expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import type { InputOf } from '../../../../api/http/client.ts'
import { problemOf } from '../../../support/agent-use.ts'
import { codeOf, key, taskStack } from '../../../support/task-calls.ts'
import { verifies } from '../../../verifies.ts'

const stack = taskStack()

const recovery = (exception_id: string, action: InputOf<'task-recover'>['action']) => ({
  exception_id,
  action,
  idempotency_key: key(),
})

verifies(
  'task.http.recover',
  'a replay resumes, a second recovery is refused, abandoning closes',
  async () => {
    const { token } = await stack.calls.agreed('synthetic')
    const first = await stack.calls.raise(token)
    expect(
      await codeOf(
        stack.calls
          .asHolder(token)
          .call('task-recover', recovery(first.exception_id, 'retry_step')),
      ),
    ).toBe('recovery_not_allowed')
    expect(
      await codeOf(
        stack.calls
          .asHolder(token)
          .call('task-recover', recovery(`ex_${'0'.repeat(64)}`, 'replay')),
      ),
    ).toBe('not_found')
    const asked = recovery(first.exception_id, 'replay')
    const answers = await Promise.all(
      [1, 2, 3].map(() => stack.calls.asHolder(token).call('task-recover', asked)),
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
        stack.calls.asHolder(token).call('task-recover', recovery(first.exception_id, 'replay')),
      ),
    ).toBe('wrong_state')
    const second = await stack.calls.raise(token)
    await stack.calls.asHolder(token).call('task-recover', recovery(second.exception_id, 'abandon'))
    await stack.calls.reaches(token, 'closed')
    expect((await stack.calls.asHolder(token).call('task-attestation', {})).body).toMatchObject({
      attestation: { kind: 'attestation', payload: { outcome: 'failed' } },
      verification_packet: { verified: true },
    })
  },
)

verifies(
  'task.http.recover.reviewed',
  'a paid task comes back once an operator says so',
  async () => {
    const { taskId, token } = await stack.calls.agreed('operational')
    const { exception_id } = await stack.calls.raise(token)
    const asked = recovery(exception_id, 'replay')
    const waiting = await stack.calls.asHolder(token).call('task-recover', asked)
    expect(waiting).toMatchObject({
      status: 202,
      body: { recovery_request: { needs_review: true } },
    })
    const recovery_id = waiting.body.recovery_request!.recovery_id
    const list = await stack.calls
      .asOperator(token)
      .call('loop-review-console', { kind: 'recovery' })
    expect(list.body.items).toMatchObject([
      { subject_id: recovery_id, allowed_decisions: ['approve', 'reject'] },
    ])
    await stack.calls.decided(recovery_id, 'recovery', 'approve')
    expect(await stack.calls.stateOf(token)).toBe('trusted')
    expect(await stack.calls.asHolder(token).call('task-recover', asked)).toMatchObject({
      status: 200,
    })
    const again = await stack.calls.raise(token)
    const byOperator = await stack.calls
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
    const { taskId, token } = await stack.calls.funded()
    const list = await stack.calls.asOperator(token).call('loop-review-console', { kind: 'task' })
    expect(list.body.items).toMatchObject([
      { subject_id: taskId, state: 'credit_funded', rail: 'packetops' },
    ])
    expect(await codeOf(stack.calls.decided(taskId, 'task', 'hold'))).toBe('wrong_state')
    await stack.calls.decided(taskId, 'task', 'approve')
    await stack.calls.reaches(token, 'operating')
    const reviews = () =>
      stack.calls.asOperator(token).call('loop-review-console', { kind: 'loop_step' })
    await expect.poll(async () => (await reviews()).body.total).toBe(1)
    const run = (await reviews()).body.items[0]!.subject_id
    const decided = await stack.calls.decided(run, 'loop_step', 'approve')
    expect(decided.receipt).toMatchObject({ kind: 'review_decision' })
    await stack.calls.reaches(token, 'attested')
    expect((await stack.calls.asHolder(token).call('task-attestation', {})).body).toMatchObject({
      attestation: { subject: run, payload: { task_id: taskId } },
      verification_packet: { verified: true },
    })
  },
)

verifies('task.http.review', 'rejected, a paid task fails and is closed', async () => {
  const { taskId, token } = await stack.calls.funded()
  await stack.calls.decided(taskId, 'task', 'reject')
  await stack.calls.reaches(token, 'closed')
})

verifies(
  'review.proposed',
  'evidence of an operator is proposed and used once it is accepted',
  async () => {
    const { taskId, token } = await stack.calls.funded('operational', 'ask')
    await stack.calls.decided(taskId, 'task', 'approve')
    await stack.calls.reaches(token, 'evidence_partial')
    const input = { ...packetops.sandboxInput, title: 'The whole packet' }
    const supplied = { action: 'supply_evidence', input } as const
    const operator = stack.calls.asOperator(token)
    await operator.call('task-recover', { ...supplied, note: 'found it', idempotency_key: key() })
    await stack.calls.reaches(token, 'exception_open')
    const holder = stack.calls.asHolder(token)
    const { items, proposed_input } = (await holder.call('task-exceptions', {})).body
    expect(proposed_input).toEqual(input)
    expect(items.at(-1)).toMatchObject({
      code: 'evidence_gap',
      proposed_input_sha256: digestOf(input),
    })
    const exception_id = items.at(-1)?.exception_id ?? ''
    await holder.call('task-recover', { exception_id, ...supplied, idempotency_key: key() })
    await stack.calls.reaches(token, 'evidence_partial')
    const { entries } = (await holder.call('task-ledger', {})).body
    expect(entries.slice(-5).map(({ event }) => event)).toEqual([
      'exception_raised',
      'replay_prepared',
      'replayed',
      'evidence_supplied',
      'evidence_missing',
    ])
  },
)

verifies('task.gap-ticket', 'a run that waits for evidence is a recoverable object', async () => {
  const { taskId, token } = await stack.calls.funded('operational', 'ask')
  await stack.calls.decided(taskId, 'task', 'approve')
  await stack.calls.reaches(token, 'evidence_partial')
  const holder = stack.calls.asHolder(token)
  const before = (await holder.call('task-exceptions', {})).body
  expect(before).toMatchObject({
    items: [{ code: 'evidence_gap', state: 'open', resume_state: null, money_moved: 'yes' }],
    allowed_recoveries: ['supply_evidence'],
    waiting_for: ['evidence'],
  })
  const { exception_id } = before.items[0]!
  const { replay_package } = (await holder.call('task-replay-package', {})).body
  expect(replay_package).toMatchObject({ exception_id, return_package: null })
  const input = { ...packetops.sandboxInput, title: 'The whole packet' }
  const supply = (named: string) =>
    holder.call('task-recover', { ...recovery(named, 'supply_evidence'), input })
  expect(await codeOf(supply(`ex_${'0'.repeat(64)}`))).toBe('not_found')
  const { body } = await supply(exception_id)
  expect(body).toMatchObject({
    recovery_request: { action: 'supply_evidence', state: 'done', input_sha256: digestOf(input) },
    exception: { exception_id, state: 'resolved', allowed_recoveries: [] },
    receipt: { subject: exception_id, kind: 'recovery', payload: { outcome: 'resolved' } },
  })
  await stack.calls.reaches(token, 'evidence_partial')
  const after = (await holder.call('task-exceptions', {})).body.items
  expect(after.map(({ state }) => state)).toEqual(['resolved', 'open'])
  await stack.calls.decided(taskId, 'task', 'approve')
  const waived = (await holder.call('task-exceptions', {})).body.items
  expect(waived.map(({ state }) => state)).toEqual(['resolved', 'resolved'])
})

verifies('recovery.patch', 'a patch changes the input, and a repeat changes it once', async () => {
  const { taskId, token } = await stack.calls.funded('operational', 'ask')
  await stack.calls.decided(taskId, 'task', 'approve')
  await stack.calls.reaches(token, 'evidence_partial')
  const holder = stack.calls.asHolder(token)
  const supply = (input_patch: NonNullable<InputOf<'task-recover'>['input_patch']>, more = {}) =>
    holder.call('task-recover', {
      action: 'supply_evidence',
      input_patch,
      idempotency_key: key(),
      ...more,
    })
  const title = (value: string) => ({ op: 'replace', path: '/title', value }) as const
  expect(await problemOf(supply([title('x'), { op: 'remove', path: '/nothing' }]))).toMatchObject({
    code: 'input_rejected',
    errors: [{ pointer: '/input_patch/1', message: 'there is no /nothing' }],
  })
  expect(await problemOf(supply([{ op: 'remove', path: '/items/0/name' }]))).toMatchObject({
    code: 'input_rejected',
    faults: { groups: [{ field: '/input/items/*/name', kind: 'missing_field' }] },
  })
  expect(await codeOf(supply([title('x')], { input: packetops.sandboxInput }))).toBe(
    'invalid_request',
  )
  const secret = `-----BEGIN PRIVATE KEY-----\n${'MC4CAQAw'.repeat(8)}\n-----END PRIVATE KEY-----`
  expect(await codeOf(supply([title(secret)]))).toBe('forbidden_material')
  const inParts = [
    { op: 'add', path: '/items/0/key', value: { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) } },
    { op: 'add', path: '/items/0/key/d', value: 'B'.repeat(43) },
  ] as const
  expect(await codeOf(supply([...inParts]))).toBe('forbidden_material')
  expect(await codeOf(supply([title('x')], { action: 'replay' }))).toMatch(
    /wrong_state|invalid_request/,
  )
  const asked = { idempotency_key: key() }
  const patch = [
    { op: 'test', path: '/title', value: packetops.sandboxInput.title },
    title('Two'),
  ] as const
  const answers = [await supply([...patch], asked), await supply([...patch], asked)]
  expect(answers[1]?.body).toEqual(answers[0]?.body)
  const { entries } = (await holder.call('task-ledger', {})).body
  const supplied = entries.filter(({ event }) => event === 'evidence_supplied')
  expect(supplied.map(({ data_sha256 }) => data_sha256)).toEqual([
    digestOf({
      input_sha256: digestOf({ ...packetops.sandboxInput, title: 'Two' }),
      recovery_id: answers[0]?.body.recovery_request?.recovery_id,
    }),
  ])
})
