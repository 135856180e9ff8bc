import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { acceptanceText } from '#domain/agents/signature.ts'
import { callbackDeliveryId } from '#domain/callbacks/callback.ts'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { allowedTaskEvents, type TaskEvent } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import { taskDepsOf } from '../../../../activities/container.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { createChanges } from '../../../../activities/store/postgres/changes.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { listLedger } from '../../../../activities/store/tasks/tasks.ts'
import { createClient } from '../../../../api/http/client.ts'
import { createTemporalClient } from '../../../../temporal/connection.ts'
import { createTaskGateway } from '../../../../temporal/tasks.ts'
import { listAttempts } from '../../../support/attempts.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { recordEvidenced } from '../../../support/evidenced.ts'
import { problemOf } from '../../../support/problems.ts'
import { redeliver } from '../../../support/redeliver.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { key } from '../../../support/task-calls.ts'
import { creditFor, dropCredit } from '../../../support/task-evidence.ts'
import { verifies } from '../../../verifies.ts'
import { usageMaterial } from '../../../workflows/domain/rails/tokenops/usage.ts'

type Known = Awaited<ReturnType<typeof trustedAgent>>
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let known: Known
let stranger: Known
const closers: (() => Promise<void>)[] = []
let temporal: ReturnType<typeof createTemporalClient>
let gateway: ReturnType<typeof createTaskGateway>
beforeAll(async () => {
  apis = await startComposedTasks()
  known = await trustedAgent(hosts(), apis.operator, { rails: ['tokenops'] })
  stranger = await trustedAgent(hosts(), apis.operator, { rails: ['tokenops'] })
  temporal = createTemporalClient(apis.config)
  const changes = createChanges(apis.config.DATABASE_URL)
  closers.push(() => changes.close(), temporal.close)
  gateway = createTaskGateway({
    client: temporal.client,
    db: apis.db,
    changes,
    config: apis.config,
  })
})
afterAll(async () => {
  for (const close of closers) await close()
  await apis?.stop()
})

const hosts = () => apis.hosts[0]!
const clientOf = ({ credential }: Known) =>
  createClient({ baseUrl: hosts().base, osUrl: hosts().os, agent: credential })
const asAgent = () => clientOf(known)
const taskDeps = () => taskDepsOf(apis.config, loadKeyRings(apis.config.SIGNING_KEYS_FILE), apis.db)
/** As the operations of money move a task. */
const send = async <Event extends TaskEvent>(
  taskId: string,
  event: Event,
  data: TaskEventData[Event],
) => {
  const input = { taskId, eventId: key(), event, actor: 'service', data }
  await transaction(apis.db, (tx) => recordEvidenced(taskDeps(), tx, input))
  await gateway.advance(taskId)
}

const { usage, ...head } = usageMaterial(6_000)
const columns = ['at', 'agent', 'model', 'task', 'input_tokens', 'output_tokens'] as const
const bytes = Buffer.from(
  [columns.join(','), ...usage.map((row) => columns.map((name) => row[name] ?? '').join(','))].join(
    '\n',
  ),
)
const sha256 = createHash('sha256').update(bytes).digest('hex')
const input = { ...head, usage: { sha256 } }

/** A task for the uploaded rows, with its contract. */
async function prepared(callback_url?: string) {
  await asAgent().call('input-upload', { sha256 }, { upload: { mediaType: 'text/csv', bytes } })
  const begun = await asAgent().call('preflight', {
    rail: 'tokenops',
    tier: 'standard',
    usage: 'synthetic',
    objective: 'what each model cost',
    input_manifest: [{ name: 'usage', sha256, bytes: bytes.length }],
    on_gaps: 'report',
    ...(callback_url === undefined ? {} : { callback_url }),
    idempotency_key: key(),
  })
  const { task, task_token, blocking } = begun.body
  expect(blocking).toEqual([])
  const acceptance_criteria = ['every row is priced']
  const made = await asAgent().call('contract-prepare', {
    task_token,
    acceptance_criteria,
    idempotency_key: key(),
  })
  const { contract_id, terms_sha256 } = made.body.contract
  const accept = () =>
    asAgent().call('contract-accept', {
      contract_id,
      terms_sha256,
      idempotency_key: key(),
      signature: known.agent.signText(acceptanceText(contract_id, terms_sha256)),
    })
  return { taskId: task.task_id, task_token, contract_id, accept }
}
type Prepared = Awaited<ReturnType<typeof prepared>>
const submit = ({ task_token, contract_id }: Prepared, more: object = {}, by = known) =>
  clientOf(by).call('self-serve-loop-submit', {
    task_token,
    contract_id,
    input,
    idempotency_key: key(),
    ...more,
  })
const runOf = async (run_id: string) =>
  (await asAgent().call('agent-use-read', { run_id })).body as {
    run: { state: string; return_package_id: string | null }
  }
const reaches = (run_id: string, state: string) =>
  expect.poll(async () => (await runOf(run_id)).run.state).toBe(state)

verifies(
  'self-serve.submit',
  'an input out of turn, of another, or that was not announced is refused',
  async () => {
    const task = await prepared()
    expect(await problemOf(submit(task))).toMatchObject({
      code: 'wrong_state',
      allowed_events: allowedTaskEvents('contract_ready'),
    })
    await task.accept()
    expect(await problemOf(submit(task, {}, stranger))).toMatchObject({ code: 'not_owner' })
    expect(await problemOf(submit(task, { task_token: `tk_${'A'.repeat(43)}` }))).toMatchObject({
      code: 'not_found',
    })
    const other = { ...head, usage: usage.slice(0, 10) }
    expect(await problemOf(submit(task, { input: other }))).toMatchObject({
      code: 'evidence_mismatch',
    })
    const { body } = await submit(task)
    expect(body).toMatchObject({ run: { state: 'trusted' }, waiting_for: ['credit'] })
  },
)

verifies(
  ['self-serve.submit', 'self-serve.read', 'task.callback', 'money.http.activation'],
  'a funded run on an upload ends with a callback at the third attempt',
  async () => {
    const receiver = `loop-${key()}`
    const task = await prepared(
      `${apis.config.BASE_URL}${demoReceiverPath}?receiver=${receiver}&fail=2`,
    )
    await task.accept()
    const idempotency_key = key()
    const first = await submit(task, { idempotency_key })
    expect((await submit(task, { idempotency_key })).body).toEqual(first.body)
    const { run_id } = first.body.run
    await creditFor(taskDeps(), task.taskId)
    await gateway.advance(task.taskId)
    await dropCredit(apis.db, task.taskId)
    await reaches(run_id, 'attested')
    expect((await submit(task, { idempotency_key })).body.run.state).toBe('attested')
    expect(await problemOf(submit(task, { input: head }))).toMatchObject({ code: 'wrong_state' })

    await send(task.taskId, 'receipts_issued', { usage_receipt_id: `rc_${'b'.repeat(64)}` })
    const id = callbackDeliveryId(task.taskId, 'task_updated', 1)
    const outcomes = async () => (await listAttempts(apis.db, id)).map(({ outcome }) => outcome)
    for (const failed of [1, 2]) {
      await expect.poll(outcomes).toEqual(Array(failed).fill('failed'))
      await redeliver({ client: temporal.client, db: apis.db }, id)
    }
    await reaches(run_id, 'closed')
    expect(await outcomes()).toEqual(['failed', 'failed', 'taken'])
    const { items } = (
      await createClient({ baseUrl: hosts().base }).call('callback-demo-read', { receiver })
    ).body
    expect(items).toMatchObject([{ delivery_id: id, event: 'task_updated', attempts: 3 }])

    const followed = (await asAgent().call('self-serve-loop-read', { run_id })).body
    expect(followed).toMatchObject({
      run: { run_id, state: 'closed' },
      completion: {
        criteria: [
          { criterion: 'result_fits', met: true, verdict: 'met' },
          { criterion: 'citations_stand', met: true, verdict: 'met' },
          { criterion: 'result_repeated', met: true, verdict: 'met' },
          { criterion: 'rows_counted', met: true, verdict: 'met' },
          { criterion: 'sums_agree', met: true, verdict: 'met' },
          { criterion: 'duplicates_counted', met: true, verdict: 'met' },
          { criterion: 'costs_recomputed', met: true, verdict: 'met' },
          { criterion: 'budget_recomputed', met: true, verdict: 'met' },
          { criterion: 'every row is priced', met: false, verdict: 'not_judged' },
        ],
      },
    })
    const { steps } = (await asAgent().call('callback-completion-read', { run_id })).body
    const done = steps?.filter(({ done_at }) => done_at !== null) ?? []
    const ledger = await listLedger(apis.db, task.taskId)
    const funded = ledger.find(({ event }) => event === 'credit_funded')
    expect(done.map(({ step, evidence_id }) => [step, evidence_id])).toEqual([
      ['run_eligibility', funded?.hash],
      ['result_contract', (await runOf(run_id)).run.return_package_id],
      ['callback', id],
    ])
    const times = done.map(({ done_at }) => done_at)
    expect(times).toEqual(times.toSorted())
  },
)

verifies(
  'self-serve.read',
  'submission is public to read; a run is shown to its agent alone',
  async () => {
    const open = createClient({ baseUrl: hosts().base })
    const { body } = await open.call('self-serve-loop-read', {})
    const ids = 'operations' in body ? body.operations.map(({ id }) => id) : []
    expect(ids).toEqual(['self-serve-loop-read', 'self-serve-loop-submit'])
    const task = await prepared()
    await task.accept()
    const { run_id } = (await submit(task)).body.run
    expect(await problemOf(open.call('self-serve-loop-read', { run_id }))).toMatchObject({
      code: 'credential_required',
    })
    expect(
      await problemOf(clientOf(stranger).call('self-serve-loop-read', { run_id })),
    ).toMatchObject({
      code: 'not_found',
    })
    const { completion } = (await asAgent().call('self-serve-loop-read', { run_id })).body as {
      completion: { criteria: { met: boolean }[] }
    }
    expect(completion.criteria.map(({ met }) => met)).toEqual([false, false, false, false])
  },
)
