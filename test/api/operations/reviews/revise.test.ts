import { expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import type { InputOf } from '../../../../api/http/client.ts'
import { evidenceRoot } from '../../../support/registering-agent.ts'
import { codeOf, key, taskStack } from '../../../support/task-calls.ts'
import { verifies } from '../../../verifies.ts'

const stack = taskStack()
type Revision = NonNullable<InputOf<'loop-review-record'>['revision']>

const operator = () => stack.calls.asOperator('')
async function runInReview() {
  const task = await stack.calls.funded('operational')
  await stack.calls.decided(task.taskId, 'task', 'approve')
  return { ...task, runId: await stack.calls.reviewOf(task.taskId) }
}
const decide = async (
  subject_id: string,
  decision: 'approve' | 'reject' | 'revise',
  revision?: Revision,
) =>
  operator().call('loop-review-record', {
    subject_kind: 'loop_step',
    subject_id,
    decision,
    note: 'judged at another date',
    evidence_seen_sha256: [await evidenceRoot(operator(), subject_id)],
    idempotency_key: key(),
    ...(revision === undefined ? {} : { revision }),
  })
const evidenceOf = async (subject_id: string) => {
  const { evidence } = (await operator().call('loop-review-console', { subject_id })).body
  return new Map(evidence?.parts.map(({ name, content }) => [name, content]))
}
const corrected = { ...packetops.sandboxInput, title: 'The corrected packet' }

verifies('review.revised', 'a parameter changes the result, which is reviewed again', async () => {
  const { taskId, runId, token } = await runInReview()
  const before = await evidenceOf(runId)
  expect(before.get('parameters')).toMatchObject({ as_of: packetops.sandboxInput.as_of ?? null })
  const as_of = '2031-01-01'
  const { body } = await decide(runId, 'revise', { parameters: { as_of } })
  const input_sha256 = digestOf({ ...packetops.sandboxInput, as_of })
  expect(body.receipt.payload).toMatchObject({
    decision: 'revise',
    revised_input_sha256: input_sha256,
  })
  await expect
    .poll(async () => (await evidenceOf(runId)).get('changes'))
    .toMatchObject({ attempt: 1, changed_members: expect.arrayContaining(['as_of']) })
  await stack.calls.reviewOf(taskId)
  await decide(runId, 'approve')
  await stack.calls.reaches(token, 'attested')
  const { replay_package } = (await stack.calls.asHolder(token).call('task-replay-package', {}))
    .body
  expect(replay_package.inputs.at(-1)).toBe(input_sha256)
  expect(replay_package.inputs).toContain(digestOf(packetops.sandboxInput))
})

verifies(
  'review.revised',
  'a revision that changes nothing or does not fit is refused',
  async () => {
    const { runId, token } = await runInReview()
    const wrong: (Revision | undefined)[] = [
      undefined,
      { parameters: {} },
      { parameters: { as_of: packetops.sandboxInput.as_of ?? null } },
      { parameters: { items: [] } },
      { parameters: { as_of: 'soon' } },
      { input: { ...packetops.sandboxInput } },
      { input: { title: 'no items' } },
    ]
    for (const revision of wrong)
      expect(await codeOf(decide(runId, 'revise', revision)), JSON.stringify(revision)).toBe(
        'invalid_request',
      )
    expect(await codeOf(decide(runId, 'approve', { parameters: { as_of: '2031-01-01' } }))).toBe(
      'invalid_request',
    )
    expect(await stack.calls.stateOf(token)).toBe('operating')
  },
)

verifies(
  'review.revised',
  'a corrected input waits until the agent accepts exactly it',
  async () => {
    const { taskId, runId, token } = await runInReview()
    await decide(runId, 'revise', { input: corrected })
    const holder = stack.calls.asHolder(token)
    const { items, proposed_input } = (await holder.call('task-exceptions', {})).body
    expect(proposed_input).toEqual(corrected)
    expect(items).toMatchObject([
      { code: 'operator_hold', proposed_input_sha256: digestOf(corrected) },
    ])
    const exception_id = items[0]?.exception_id ?? ''
    const recover = (input: Record<string, unknown>) =>
      holder.call('task-recover', {
        exception_id,
        action: 'correct_input',
        input,
        idempotency_key: key(),
      })
    const accepted = (await recover(corrected)).body
    expect(accepted.recovery_request).toMatchObject({ state: 'done', needs_review: false })
    await stack.calls.reviewOf(taskId)
    const { entries } = (await holder.call('task-ledger', {})).body
    const events = entries.map(({ event }) => event)
    expect(events.slice(-3)).toEqual(['exception_raised', 'replay_prepared', 'replayed'])
  },
)

verifies('review.revised', 'another input than the proposed one waits for a review', async () => {
  const { runId, token } = await runInReview()
  await decide(runId, 'revise', { input: corrected })
  const holder = stack.calls.asHolder(token)
  const { items } = (await holder.call('task-exceptions', {})).body
  const { body } = await holder.call('task-recover', {
    exception_id: items[0]?.exception_id ?? '',
    action: 'correct_input',
    input: { ...corrected, title: 'Something else' },
    idempotency_key: key(),
  })
  expect(body.recovery_request).toMatchObject({ state: 'requested', needs_review: true })
})

verifies('review.declined', 'an agent declines a proposed input, which is never used', async () => {
  const { taskId, runId, token } = await runInReview()
  await decide(runId, 'revise', { input: corrected })
  const holder = stack.calls.asHolder(token)
  const declined_input = { input_sha256: digestOf(corrected), reason: 'the title is right' }
  const decline = (proposed_input_sha256: string, idempotency_key = key()) =>
    holder.call('task-proposal-decline', {
      proposed_input_sha256,
      reason: declined_input.reason,
      idempotency_key,
    })
  expect(await codeOf(decline('0'.repeat(64)))).toBe('evidence_changed')
  const once = key()
  const { body } = await decline(digestOf(corrected), once)
  expect(body).toMatchObject({
    recovery_request: null,
    task: { state: 'exception_open' },
    exception: { state: 'open', proposed_input_sha256: null, declined_input },
    receipt: {
      kind: 'recovery',
      payload: {
        action: 'decline_input',
        actor: expect.stringMatching(/^agent:/),
        reason: declined_input.reason,
        declined_input_sha256: declined_input.input_sha256,
      },
    },
  })
  expect((await decline(digestOf(corrected), once)).body).toEqual(body)
  expect(await codeOf(decline(digestOf(corrected)))).toBe('wrong_state')
  const { entries } = (await holder.call('task-ledger', {})).body
  expect(entries.at(-1)).toMatchObject({
    event: 'input_declined',
    actor: body.receipt?.payload['actor'],
  })
  const read = (await operator().call('work-read', { id: taskId })).body
  expect(read.explanation['declined_input']).toContain(declined_input.reason)
  expect(read.state).toBe('exception_open')
  const { replay_package } = (await holder.call('task-replay-package', {})).body
  expect(replay_package.inputs).toEqual([digestOf(packetops.sandboxInput)])
})

verifies('review.proposed', 'an operator’s input is proposed, and used once accepted', async () => {
  const { taskId, token } = await runInReview()
  await stack.calls.raise(token, 'caller_dispute', 'another title')
  const holder = stack.calls.asHolder(token)
  const propose = async (title: string) => {
    const { outcomes } = (
      await operator().call('recovery-act', {
        act: 'correct_input',
        ids: [taskId],
        reason: `call it ${title}`,
        input: { ...corrected, title },
        idempotency_key: key(),
      })
    ).body
    expect(outcomes).toMatchObject([
      { state: 'exception_open', receipt_id: expect.stringMatching(/^rc_/), refused: null },
    ])
    return digestOf({ ...corrected, title })
  }
  const first = await propose('One')
  await holder.call('task-proposal-decline', {
    proposed_input_sha256: first,
    reason: 'another one',
    idempotency_key: key(),
  })
  await propose('Two')
  const third = await propose('Three')
  const exceptions = async () => (await holder.call('task-exceptions', {})).body
  const { items, proposed_input } = await exceptions()
  expect(items).toMatchObject([
    { proposed_input_sha256: third, declined_input: { input_sha256: first } },
  ])
  const accepted = await holder.call('task-recover', {
    exception_id: items[0]?.exception_id ?? '',
    action: 'correct_input',
    input: proposed_input ?? {},
    idempotency_key: key(),
  })
  expect(accepted.body.recovery_request).toMatchObject({ state: 'done', needs_review: false })
  await stack.calls.reviewOf(taskId)
  const { entries } = (await holder.call('task-ledger', {})).body
  expect(entries.slice(-6).map(({ event }) => event)).toEqual([
    'input_proposed',
    'input_declined',
    'input_proposed',
    'input_proposed',
    'replay_prepared',
    'replayed',
  ])
})

verifies('review.proposed', 'a proposal changes by the ledger alone, in SQL as well', async () => {
  const { token } = await runInReview()
  const { exception_id } = await stack.calls.raise(token)
  const byHand = stack.apis.db
    .updateTable('task_exceptions')
    .set({ proposal_note: 'sent by hand' })
    .where('exception_id', '=', exception_id)
  await expect(byHand.execute()).rejects.toThrow('by an entry of the ledger')
})
