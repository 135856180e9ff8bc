import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { packetops } from '#domain/rails/packetops/index.ts'
import { createTemporalClient } from '../../temporal/connection.ts'
import { runCli } from '../support/cli.ts'
import { startComposedTasks } from '../support/composed-tasks.ts'
import { key, openTaskCalls } from '../support/task-calls.ts'
import { verifies } from '../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let calls: Awaited<ReturnType<typeof openTaskCalls>>
let scratch: string
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-recover-'))
  apis = await startComposedTasks()
  calls = await openTaskCalls(apis)
})
afterAll(async () => {
  await apis?.stop()
  rmSync(scratch, { recursive: true, force: true })
})

const recover = (...args: string[]) =>
  runCli({ ...apis.env, DATA_DIR: scratch }, 'recover', ...args)
const by = ['--operator', 'Ada', '--reason', 'looked at'] as const
/** Each of these runs the command line several times, a process of its own each time. */
const LONG_MS = 180_000

verifies(
  ['recover.cli.tasks', 'recover.cli.receipts'],
  'a refused run is found, explained and restarted with another input',
  async () => {
    const { taskId, token } = await calls.funded()
    await calls.decided(taskId, 'task', 'approve')
    const run = await calls.reviewOf(taskId)
    expect((await recover('list')).text).toMatch(
      new RegExp(`${taskId}\\n.*waits for an operator to review the result`),
    )
    // A review that is not late is an ordinary wait.
    expect((await recover('list', '--stuck')).text).not.toContain(taskId)
    await calls.decided(run, 'loop_step', 'reject')
    await calls.reaches(token, 'exception_open')

    expect((await recover('list', '--stuck', '--where', 'code=operator_hold')).text).toContain(
      taskId,
    )
    expect((await recover('list', '--stuck', '--where', 'code=worker_failed')).text).toContain(
      'nothing needs attention',
    )
    const explained = await recover('explain', run)
    expect(explained.text).toMatch(/code +operator_hold/)
    expect(explained.text).toMatch(/cause +review_step: looked at/)
    expect(explained.text).toMatch(/interrupted_in +operating/)
    expect(explained.text).toMatch(/trace_ids +[0-9a-f]{32}/)
    expect(explained.text).toContain(
      `agent-rails recover act ${taskId} correct_input --operator NAME`,
    )
    expect(explained.text).toMatch(/choices +correct_input, replay, abandon/)

    const refused = await recover('act', taskId, 'retry_step', ...by)
    expect(refused).toMatchObject({
      code: 1,
      text: expect.stringContaining('retry_step does not recover from'),
    })
    const input = join(scratch, 'input.json')
    writeFileSync(input, JSON.stringify(packetops.sandboxInput))
    const { code, out } = await recover(
      'act',
      taskId,
      'correct_input',
      '--input',
      input,
      ...by,
      '--json',
    )
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      state: 'exception_open',
      receipt: {
        kind: 'recovery',
        payload: { operator_name: 'Ada', action: 'correct_input', note: 'looked at' },
      },
    })
    const holder = calls.asHolder(token)
    const { items, proposed_input } = (await holder.call('task-exceptions', {})).body
    await holder.call('task-recover', {
      exception_id: items.at(-1)?.exception_id ?? '',
      action: 'correct_input',
      input: proposed_input ?? {},
      idempotency_key: key(),
    })
    expect(await calls.reviewOf(taskId)).toBe(run)
    const woken = JSON.parse((await recover('act', run, 'wake', ...by, '--json')).out)
    expect(woken.receipt).toMatchObject({
      kind: 'control_change',
      payload: { act: 'wake', act_on: taskId, operator_name: 'Ada', reason: 'looked at' },
    })
    await calls.decided(run, 'loop_step', 'approve')
    await calls.reaches(token, 'attested')
    await calls.deliver(taskId)

    const file = join(scratch, 'package.json')
    writeFileSync(file, (await recover('replay-package', run)).out)
    const keys = join(scratch, 'jwks.json')
    writeFileSync(keys, JSON.stringify((await calls.asHolder(token).call('jwks', {})).body))
    const replayed = await runCli({ DATA_DIR: scratch }, 'replay', file, '--keys', keys)
    expect(replayed.text).toMatch(/^ok {2}replay +packetops gives the result [0-9a-f]{64} again$/m)
    expect(replayed.code).toBe(0)
  },
  LONG_MS,
)

verifies(
  ['recover.cli.tasks', 'recover.cli.all', 'recovery.stuck'],
  'a task whose workflow was terminated is stuck until it is woken',
  async () => {
    const { taskId, token } = await calls.funded()
    await calls.decided(taskId, 'task', 'approve')
    const run = await calls.reviewOf(taskId)
    const { client, close } = createTemporalClient(apis.config)
    await client.workflow.getHandle(taskId).terminate('by hand')
    await close()
    // Nothing is missing before the decision; a day later it is late, whatever Temporal runs.
    expect((await recover('list', '--stuck')).text).not.toContain(taskId)
    const anHourAndADay = sql`update runs set changed_at = clock_timestamp() - interval '25 hours' where run_id = ${run}`
    await anHourAndADay.execute(apis.db)
    await sql`update tasks set changed_at = clock_timestamp() - interval '25 hours' where task_id = ${taskId}`.execute(
      apis.db,
    )
    const lost = ['--where', 'code=late']
    const listed = (await recover('list', '--stuck', ...lost)).text
    expect(listed).toContain(run)
    expect(listed).toContain(`→ agent-rails recover act ${run} wake`)
    const woken = await recover('act', 'wake', '--all', ...lost, ...by)
    expect(woken.code, woken.text).toBe(0)
    await calls.decided(run, 'loop_step', 'approve')
    await calls.reaches(token, 'attested')
  },
  LONG_MS,
)

verifies(
  'recover.cli.all',
  'what --where says is listed by --dry-run, and then given up',
  async () => {
    const stopped = [await calls.agreed('synthetic'), await calls.agreed('synthetic')]
    for (const { token } of stopped) await calls.raise(token)
    const all = [
      'act',
      'abandon',
      '--all',
      '--where',
      'state=exception_open',
      '--where',
      'rail=packetops',
      ...by,
    ]
    const dry = await recover(...all, '--dry-run')
    expect(dry.code).toBe(0)
    for (const { token, taskId } of stopped) {
      expect(dry.text).toContain(`${taskId} would be failed`)
      expect(await calls.stateOf(token)).toBe('exception_open')
    }
    const [first] = stopped
    const unfit = await recover('act', String(first?.taskId), 'supply_evidence', ...by, '--dry-run')
    expect(unfit).toMatchObject({
      code: 1,
      text: expect.stringContaining(`${first?.taskId} would refuse it`),
    })
    const done = await recover(...all, '--json')
    expect(done.code).toBe(0)
    expect(JSON.parse(done.out)).toHaveLength(2)
    for (const { token } of stopped) await calls.reaches(token, 'closed')
    const unsaid = await recover('act', 'abandon', '--all', ...by)
    expect(unsaid).toMatchObject({ code: 1, text: expect.stringContaining('with --where') })
    const unknown = await recover('act', `task-${'0'.repeat(64)}`, 'wake', ...by)
    expect(unknown).toMatchObject({ code: 1, text: expect.stringContaining('refused') })
  },
  LONG_MS,
)
