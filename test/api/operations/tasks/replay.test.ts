import { expect } from 'vitest'
import { KeySet } from '#domain/receipts/key-set.ts'
import { verifyReplayFile } from '#domain/verification/replay-package.ts'
import { decodeCompact } from '../../../../activities/keys/compact.ts'
import { codeOf, key, taskStack } from '../../../support/task-calls.ts'
import { verifies } from '../../../verifies.ts'

const stack = taskStack()

const packageOf = async (token: string) =>
  (await stack.calls.asHolder(token).call('task-replay-package', {})).body
/** The findings of a reader who has only the file and the key set. */
const verified = async (token: string) => {
  const keys = KeySet.parse(
    await (await fetch(`${stack.calls.hosts.base}/.well-known/jwks.json`)).json(),
  )
  const report = verifyReplayFile(JSON.parse(JSON.stringify(await packageOf(token))), { keys })
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([])
  return report
}
const proven = async (token: string) => {
  const report = await verified(token)
  expect(report.verdict).toBe('proven')
  return report
}

verifies(
  ['task.http.replay', 'task.http.receipts', 'replay.withheld'],
  'an outside party reproduces the result from a replay package',
  async () => {
    const { taskId, token } = await stack.calls.funded()
    await stack.calls.decided(taskId, 'task', 'approve')
    const run = await stack.calls.reviewOf(taskId)
    await stack.calls.decided(run, 'loop_step', 'reject')
    await stack.calls.reaches(token, 'exception_open')

    const { items, allowed_recoveries } = (
      await stack.calls.asHolder(token).call('task-exceptions', {})
    ).body
    expect(items).toMatchObject([
      { code: 'operator_hold', resume_state: 'operating', state: 'open' },
    ])
    expect(allowed_recoveries).toContain('replay')
    const exception_id = items[0]!.exception_id

    const asked = {
      exception_id,
      action: 'replay',
      note: 'the packet is right',
      idempotency_key: key(),
    } as const
    const requested = await stack.calls.asHolder(token).call('task-recover', asked)
    expect(requested).toMatchObject({
      status: 202,
      body: { exception: { state: 'recovery_requested' }, receipt: null },
    })

    const prepare = { exception_id, from_step: 'intake', idempotency_key: key() } as const
    const prepared = await stack.calls.asHolder(token).call('task-replay-prepare', prepare)
    expect(prepared).toMatchObject({
      status: 201,
      body: { task: { state: 'replay_ready', resume_state: 'operating' } },
    })
    expect((await stack.calls.asHolder(token).call('task-replay-prepare', prepare)).body).toEqual(
      prepared.body,
    )
    const { task: _task, receipt, ...file } = prepared.body
    expect(receipt.payload).toMatchObject({
      action: 'replay',
      from_step: 'intake',
      state: 'replay_ready',
    })
    expect(await packageOf(token)).toEqual(file)
    expect(prepared.body.replay_package).toMatchObject({
      exception_id,
      resume_state: 'operating',
      from_step: 'intake',
    })
    await proven(token)
    const again = { ...prepare, idempotency_key: key() }
    expect(await codeOf(stack.calls.asHolder(token).call('task-replay-prepare', again))).toBe(
      'wrong_state',
    )

    await stack.calls.decided(requested.body.recovery_request!.recovery_id, 'recovery', 'approve')
    await stack.calls.reaches(token, 'operating')
    expect(await stack.calls.reviewOf(taskId)).toBe(run)
    await stack.calls.decided(run, 'loop_step', 'approve')
    await stack.calls.reaches(token, 'attested')

    const { entries } = (await stack.calls.asHolder(token).call('task-ledger', {})).body
    const home = entries.slice(entries.findIndex(({ event }) => event === 'exception_raised'))
    expect(home.map(({ event }) => event)).toEqual([
      'exception_raised',
      'replay_prepared',
      'replayed',
      'result_produced',
      'result_attested',
    ])
    // Before its charge a result is named by its digest alone.
    const withheld = await verified(token)
    expect(withheld).toMatchObject({ verdict: 'indeterminate' })
    expect(withheld.checks.find(({ check }) => check === 'result')?.detail).toMatch(/^withheld: /)
    expect((await packageOf(token)).replay_package.return_package).toBeNull()
    await stack.calls.deliver(taskId)
    const report = await proven(token)
    const { replay_package } = await packageOf(token)
    expect(report.checks.at(-1)?.detail).toContain(
      `${replay_package.return_package?.result_sha256} again`,
    )
    const recoveries = replay_package.receipts
      .map((jws) => decodeCompact(jws).payload)
      .filter(({ sub }) => sub === exception_id)
    expect(recoveries).toMatchObject([
      { kind: 'exception', code: 'operator_hold' },
      { kind: 'recovery', outcome: 'resolved', action: 'replay', note: 'the packet is right' },
    ])
    expect(recoveries.at(-1)).toMatchObject({
      actor: expect.stringMatching(/^operator:/),
      operator_name: expect.any(String),
    })
  },
)

verifies(
  'task.http.replay.ready',
  'nothing to replay is reported, and another token is unknown',
  async () => {
    const { token } = await stack.calls.begin('synthetic')
    expect(await codeOf(packageOf(token))).toBe('not_ready')
    expect(await codeOf(packageOf(`tk_${'A'.repeat(43)}`))).toBe('not_found')
    await stack.calls.raise(token)
    await proven(token)
  },
)

verifies(
  'task.http.recover.own',
  'a request about an exception that is over moves nothing',
  async () => {
    const { taskId, token } = await stack.calls.agreed('operational')
    const ask = async () => {
      const { exception_id } = await stack.calls.raise(token)
      const asked = { exception_id, action: 'replay', idempotency_key: key() } as const
      return { asked, answer: (await stack.calls.asHolder(token).call('task-recover', asked)).body }
    }
    const { asked, answer } = await ask()
    const byOperator = await stack.calls
      .asOperator(taskId)
      .call('task-recover', { ...asked, idempotency_key: key() })
    expect(byOperator.body.receipt).toMatchObject({
      kind: 'recovery',
      payload: { outcome: 'resolved', operator_name: expect.any(String) },
    })
    await stack.calls.raise(token)
    const stale = stack.calls.decided(answer.recovery_request!.recovery_id, 'recovery', 'approve')
    expect(await codeOf(stale)).toBe('wrong_state')
    expect(await stack.calls.stateOf(token)).toBe('exception_open')
  },
)

verifies(
  'task.http.replay',
  'a run continues where it is or at its start, and nowhere else',
  async () => {
    const { token } = await stack.calls.agreed('synthetic')
    const { exception_id } = await stack.calls.raise(token)
    const from = (from_step?: 'worker' | 'intake') =>
      stack.calls.asHolder(token).call('task-replay-prepare', {
        exception_id,
        idempotency_key: key(),
        ...(from_step === undefined ? {} : { from_step }),
      })
    expect(await codeOf(from('worker'))).toBe('invalid_request')
    expect((await from()).body.task.state).toBe('replay_ready')
    const recover = { exception_id, action: 'replay', idempotency_key: key() } as const
    expect((await stack.calls.asHolder(token).call('task-recover', recover)).body.task.state).toBe(
      'trusted',
    )
  },
)
