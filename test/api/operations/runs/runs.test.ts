import { createHash, randomBytes } from 'node:crypto'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { acceptanceText } from '#domain/agents/signature.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import type { TaskEvent } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import { taskDepsOf } from '../../../../activities/container.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { listAttention } from '../../../../activities/store/console/attention.ts'
import { createChanges } from '../../../../activities/store/postgres/changes.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { runIdOf } from '../../../../activities/tasks/facts.ts'
import { createClient, type InputOf, ProblemError } from '../../../../api/http/client.ts'
import { operations } from '../../../../api/operations/index.ts'
import { agentUseModes } from '../../../../api/operations/runs/packages.ts'
import { manifestOf, provideInput } from '../../../../api/services/tasks/input.ts'
import { createTemporalClient } from '../../../../temporal/connection.ts'
import { createTaskGateway } from '../../../../temporal/tasks.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { recordEvidenced } from '../../../support/evidenced.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { within } from '../../../support/slowness.ts'
import { creditFor, dropCredit } from '../../../support/task-evidence.ts'
import { unzipped } from '../../../support/unzipped.ts'
import { verifies } from '../../../verifies.ts'

type Known = Awaited<ReturnType<typeof trustedAgent>>
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let known: Known
let stranger: Known
beforeAll(async () => {
  apis = await startComposedTasks()
  known = await trustedAgent(hosts(), apis.operator, { rails: ['packetops'] })
  stranger = await trustedAgent(hosts(), apis.operator, { rails: ['packetops'] })
})
afterAll(async () => {
  await apis?.stop()
})

const hosts = () => apis.hosts[0]!
const key = () => randomBytes(6).toString('hex')
const clientOf = ({ credential }: Known) =>
  createClient({ baseUrl: hosts().base, osUrl: hosts().os, agent: credential })
const asAgent = () => clientOf(known)
/** Signs for the public address of its host, which the test has at another. */
const asHolder = (token: string) => {
  const { OS_URL } = apis.config
  return createClient({
    baseUrl: hosts().base,
    osUrl: OS_URL,
    fetch: (url: string, init: RequestInit) => fetch(url.replace(OS_URL, hosts().os), init),
    statusToken: token,
    signAsAgent: known.agent.signText,
  })
}
const problemOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => (error instanceof ProblemError ? error.problem : error),
  )
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** As the operations of money move a task. */
async function funded(taskId: string): Promise<void> {
  await creditFor(taskDeps(), taskId)
  await moved(taskId, [])
  await dropCredit(apis.db, taskId)
}

const taskDeps = () => taskDepsOf(apis.config, loadKeyRings(apis.config.SIGNING_KEYS_FILE), apis.db)

async function moved(taskId: string, moves: [TaskEvent, TaskEventData[TaskEvent]][]) {
  const { client, close } = createTemporalClient(apis.config)
  const changes = createChanges(apis.config.DATABASE_URL)
  const gateway = createTaskGateway({ client, db: apis.db, changes, config: apis.config })
  for (const [event, data] of moves) {
    const input = { taskId, eventId: key(), event, actor: 'service', data }
    await transaction(apis.db, (tx) => recordEvidenced(taskDeps(), tx, input))
  }
  await gateway.advance(taskId)
  await Promise.all([changes.close(), close()])
}

/** A synthetic task that its agent has agreed on. */
async function agreed() {
  const input_manifest = manifestOf(packetops.sandboxInput)
  const asked = {
    rail: 'packetops',
    tier: 'standard',
    objective: 'a packet',
    on_gaps: 'report',
  } as const
  const begun = { ...asked, usage: 'synthetic' as const, input_manifest, idempotency_key: key() }
  const { task, task_token } = (await asAgent().call('preflight', begun)).body
  const prepared = await asAgent().call('contract-prepare', { task_token, idempotency_key: key() })
  const { contract_id, terms_sha256 } = prepared.body.contract
  const signature = known.agent.signText(acceptanceText(contract_id, terms_sha256))
  await asAgent().call('contract-accept', {
    contract_id,
    terms_sha256,
    signature,
    idempotency_key: key(),
  })
  return { taskId: task.task_id, token: task_token, runId: runIdOf(task.task_id) }
}

async function attested() {
  const task = await agreed()
  await transaction(apis.db, (tx) => provideInput(tx, task.taskId, packetops.sandboxInput))
  await funded(task.taskId)
  await expect.poll(async () => (await status(task.runId, 5_000)).state).toBe('attested')
  return task
}

/** A run that ended with its result, as one does whose result is charged. */
async function delivered() {
  const task = await attested()
  await moved(task.taskId, [['receipts_issued', { usage_receipt_id: `rc_${'b'.repeat(64)}` }]])
  await expect.poll(async () => (await status(task.runId, 5_000)).state).toBe('closed')
  return task
}

const statusInput = (run_id: string, wait_ms = 0) => ({
  mode: 'get_run_status' as const,
  run_id,
  wait_ms,
})
const status = async (runId: string, waitMs = 0) =>
  (await asAgent().call('get-run-status', statusInput(runId, waitMs))).body.run
const packageInput = (run_id: string, include_files = false) => ({
  mode: 'fetch_return_package' as const,
  run_id,
  include_files,
})
const fetchZip = (runId: string) =>
  fetch(`${hosts().base}/api/agent-use`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${known.credential}`,
      'Content-Type': 'application/json',
      Accept: 'application/zip',
    },
    body: JSON.stringify(packageInput(runId)),
  })

verifies(
  'agent-use.pack',
  'the pack has the eight modes with valid bodies, by GET and POST',
  async () => {
    const open = createClient({ baseUrl: hosts().base })
    const { body } = await open.call('read-agent-use-pack', { mode: 'read_agent_use_pack' })
    expect((await open.call('agent-use-read', {})).body).toEqual(body)
    expect(body).toMatchObject({ modes: [...agentUseModes], rails: ['packetops', 'diligenceops'] })
    expect(body.prices.rails.map(({ rail }) => rail)).toEqual(body.rails)
    expect(body.accepted_methods).toHaveLength(6)
    const declared = operations.filter(
      ({ http }) => http.path === '/api/agent-use' && http.method === 'POST',
    )
    expect(declared.map((one) => 'mode' in one && one.mode).sort()).toEqual(
      [...agentUseModes].sort(),
    )
    for (const operation of declared) {
      const mode = 'mode' in operation ? operation.mode : undefined
      expect(
        operation.input.safeParse(body.example_bodies[mode as (typeof agentUseModes)[number]]),
        mode,
      ).toMatchObject({
        success: true,
      })
    }
    const headers = { 'Content-Type': 'application/json' }
    const unknown = await fetch(`${hosts().base}/api/agent-use`, {
      method: 'POST',
      headers,
      body: '{"mode":"start"}',
    })
    expect(await unknown.json()).toMatchObject({ code: 'unknown_mode' })
  },
)

verifies('agent-use.status', 'only its owner reads a run before it begins', async () => {
  const { runId, token, taskId } = await agreed()
  const run = await status(runId)
  expect(run).toMatchObject({
    run_id: runId,
    task_id: taskId,
    task_token: token,
    state: 'trusted',
    quote_id: null,
  })
  expect(run.loop).toMatchObject({ step: null, index: null })
  expect((await asAgent().call('agent-use-read', { run_id: runId })).body).toEqual({ run })
  const holder = createClient({ baseUrl: hosts().base, statusToken: token })
  expect((await holder.call('get-run-status', statusInput(runId))).body.run).toEqual(run)
  expect(
    await problemOf(clientOf(stranger).call('get-run-status', statusInput(runId))),
  ).toMatchObject({
    code: 'not_found',
  })
  const other = await agreed()
  expect(await problemOf(holder.call('get-run-status', statusInput(other.runId)))).toMatchObject({
    code: 'not_found',
  })
  const open = createClient({ baseUrl: hosts().base })
  expect(await problemOf(open.call('agent-use-read', { run_id: runId }))).toMatchObject({
    code: 'credential_required',
  })
  const unknown = `run_${'0'.repeat(64)}`
  expect(await problemOf(asAgent().call('get-run-status', statusInput(unknown)))).toMatchObject({
    code: 'not_found',
  })
})

verifies(
  'agent-use.status',
  'a wait ends when the run changes, or when the time is up',
  async () => {
    const { runId, taskId } = await agreed()
    const began = performance.now()
    expect((await status(runId, 700)).state).toBe('trusted')
    expect(performance.now() - began).toBeGreaterThan(690)
    const waiting = status(runId, 20_000)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await funded(taskId)
    expect((await waiting).state).not.toBe('trusted')
    expect(performance.now() - began).toBeLessThan(within(15_000))
  },
)

verifies(
  'agent-use.package.receipt',
  'the answer with a package leads to the receipt of the run',
  async () => {
    const { runId } = await delivered()
    const { body } = await asAgent().call('fetch-return-package', packageInput(runId))
    const { receipt_id } = body.verification_packet
    const [fetched, verified, recorded] = body.next_actions
    expect(body.next_actions.map(({ action }) => action)).toEqual([
      'fetch_receipt',
      'verify_receipt',
      'record_receipt',
    ])
    const bundle = (await (await fetch(fetched!.url)).json()) as { receipt: string }
    expect(bundle).toMatchObject({ receipt_id, entry: expect.any(String) })
    const [, payload = ''] = bundle.receipt.split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      kind: 'attestation',
      sub: runId,
    })
    expect(await (await fetch(verified!.url)).json()).toMatchObject({ receipt_id })
    expect(recorded).toMatchObject({ method: 'POST', url: `${hosts().base}/api/agent-use` })
  },
)

verifies(
  ['agent-use.package', 'package.by-strangers'],
  'unzip, jose and SHA-256 verify the package, and the JSON agrees',
  async () => {
    const waiting = await agreed()
    expect(
      await problemOf(asAgent().call('fetch-return-package', packageInput(waiting.runId))),
    ).toMatchObject({
      code: 'not_ready',
      status: 409,
    })
    const { runId } = await delivered()
    const { body } = await asAgent().call('fetch-return-package', packageInput(runId, true))
    expect(body).toMatchObject({
      completion: { verdict: 'proven' },
      verification_packet: { verified: true },
    })
    const run = await status(runId)
    const { proof_hash, completion_signature, return_package_id } = body.return_package
    expect(run).toMatchObject({
      proof_hash,
      completion_signature,
      return_package_id,
      loop: { step: null, index: 9 },
    })
    expect(run.loop.steps.map(({ state }) => state)).toEqual(Array(9).fill('done'))
    const answers = await Promise.all([fetchZip(runId), fetchZip(runId)])
    expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual(
      Array(2).fill('application/zip'),
    )
    expect(answers[0]?.headers.get('content-disposition')).toBe(
      `attachment; filename=${return_package_id}.zip`,
    )
    const zips = await Promise.all(
      answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())),
    )
    expect(zips[0]).toEqual(zips[1])
    const files = await unzipped(zips[0]!)
    expect(Object.fromEntries(files)).toEqual(body.file_contents)
    const text = (name: string) => files.get(name) ?? ''
    const manifest = JSON.parse(text('manifest.json')) as {
      name: string
      sha256: string
      bytes: number
    }[]
    expect([...manifest.map(({ name }) => name), 'manifest.json', 'completion.jws'].sort()).toEqual(
      [...files.keys()].sort(),
    )
    for (const { name, sha256: digest, bytes } of manifest)
      expect([sha256(text(name)), Buffer.byteLength(text(name))]).toEqual([digest, bytes])
    const keys = (await (
      await fetch(`${hosts().base}/.well-known/jwks.json`)
    ).json()) as JSONWebKeySet
    const { payload } = await compactVerify(text('completion.jws'), createLocalJWKSet(keys))
    expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({
      run_id: runId,
      proof_hash,
      manifest_sha256: sha256(text('manifest.json')),
      result_sha256: sha256(text('result.json')),
    })
    const refused = await fetchZip(waiting.runId)
    expect(refused.headers.get('content-type')).toContain('application/problem+json')
  },
)

verifies(
  'pages.return-package',
  'its token reads a package as page, JSON and file, with what is wrong',
  async () => {
    const read = (token: string, query = '', accept = 'application/json') =>
      fetch(`${hosts().base}/api/agents/status/${token}/return-package${query}`, {
        headers: { accept },
      })
    const waiting = await agreed()
    expect((await read(waiting.token)).status).toBe(409)
    const { taskId, token, runId } = await delivered()
    await sql`update receipts set set_aside_at = now() where receipt_id in
      (select receipt_id from task_events where task_id = ${taskId} and event = 'receipts_issued')`.execute(
      apis.db,
    )
    const fetched = (await asAgent().call('fetch-return-package', packageInput(runId))).body
    const body = (await (await read(token)).json()) as Record<string, unknown>
    expect(body).toMatchObject({
      return_package: fetched.return_package,
      completion: fetched.completion,
      // The receipt of the charge is no longer a record.
      record: {
        verdict: 'refused',
        checks: expect.arrayContaining([
          expect.objectContaining({ check: 'cited receipts', ok: false }),
        ]),
      },
      review_policy: 'sandbox_policy',
      reviews: [],
    })
    expect(JSON.stringify(body)).not.toContain(token)
    const status = await fetch(`${hosts().base}/api/agents/status/${token}`)
    expect(await status.json()).toMatchObject({
      return_package_id: fetched.return_package.return_package_id,
    })
    const page = await read(token, '', 'text/html')
    expect(page.headers.get('content-security-policy')).toMatch(/^sandbox /)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(await page.text()).toContain('✗ Not verified: the result of packetops')
    const file = await read(token, '?as=json', 'text/html')
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename=rp_\w+\.json$/)
    expect(await file.json()).toMatchObject({ return_package: fetched.return_package })
    const zip = await read(token, '?as=zip', 'text/html')
    expect(zip.headers.get('content-type')).toBe('application/zip')
    expect((await read(token, '?as=pdf')).status).toBe(400)
    const wrong = [`tk_${'A'.repeat(43)}`, known.registered.status_token, 'tk_x']
    for (const other of wrong) expect((await read(other, '', 'text/html')).status).toBe(404)
  },
)

verifies(
  'agent-use.receipt',
  'a receipt is taken once; one that is not accepted stops the task',
  async () => {
    const { runId, token } = await attested()
    expect(
      await problemOf(asAgent().call('fetch-return-package', packageInput(runId))),
    ).toMatchObject({ code: 'not_ready' })
    const { receipt_id } = (await asHolder(token).call('task-attestation', {})).body.attestation
    const taken = (more: Partial<InputOf<'record-agent-use-receipt'>> = {}) => ({
      mode: 'record_agent_use_receipt' as const,
      run_id: runId,
      receipt_id,
      accepted: true,
      idempotency_key: key(),
      ...more,
    })
    const input = taken({ note: 'all there' })
    const first = await asAgent().call('record-agent-use-receipt', input)
    expect(first.body).toMatchObject({
      acknowledgement: {
        kind: 'acknowledgement',
        payload: { receipt_id, accepted: true, note: 'all there' },
      },
      ledger_entry: { to_state: 'attested' },
      dispute: null,
    })
    expect(await asAgent().call('record-agent-use-receipt', input)).toMatchObject({
      body: first.body,
      replayed: true,
    })
    const events = apis.db.selectFrom('usage_events').selectAll().where('run_id', '=', runId)
    expect(await events.execute()).toMatchObject([
      {
        kind: 'audit',
        unit: 'acknowledgement',
        subject: first.body.acknowledgement.receipt_id,
        credit_units: 0,
      },
    ])
    const others = { receipt_id: `rc_${'0'.repeat(64)}` }
    expect(
      await problemOf(asAgent().call('record-agent-use-receipt', taken(others))),
    ).toMatchObject({
      code: 'receipt_invalid',
    })
    const { jws } = first.body.acknowledgement
    const { receipt_id: _id, ...byText } = taken({ receipt: jws })
    expect(await problemOf(asAgent().call('record-agent-use-receipt', byText))).toMatchObject({
      code: 'receipt_invalid',
    })
    const acknowledge = (more: Parameters<typeof taken>[0]) =>
      asAgent().call('record-agent-use-receipt', taken(more))
    for (const accepted of [true, false])
      expect(await problemOf(acknowledge({ accepted }))).toMatchObject({
        code: 'already_exists',
        receipt_id: first.body.acknowledgement.receipt_id,
      })
    expect((await status(runId)).state).not.toBe('exception_open')
    const other = await attested()
    const { attestation } = (await asHolder(other.token).call('task-attestation', {})).body
    const disputed = await acknowledge({
      run_id: other.runId,
      receipt_id: attestation.receipt_id,
      accepted: false,
      note: 'not ours',
    })
    expect(disputed.body).toMatchObject({
      ledger_entry: { event: 'exception_raised' },
      dispute: { code: 'caller_dispute', detail: 'not ours', resume_state: 'attested' },
    })
    expect((await status(other.runId)).state).toBe('exception_open')
  },
)

verifies('agent-use.receipt', 'of opposite acknowledgements at once one is taken', async () => {
  for (let round = 0; round < 5; round++) {
    const { runId, token } = await attested()
    const { receipt_id } = (await asHolder(token).call('task-attestation', {})).body.attestation
    const acknowledge = (accepted: boolean) =>
      asAgent()
        .call('record-agent-use-receipt', {
          mode: 'record_agent_use_receipt',
          run_id: runId,
          receipt_id,
          accepted,
          idempotency_key: key(),
        })
        .then(
          ({ body }) => ({ accepted, receipt_id: body.acknowledgement.receipt_id, problem: null }),
          async (error: unknown) => ({ accepted, problem: await problemOf(Promise.reject(error)) }),
        )
    const answers = await Promise.all([true, false, true, false].map(acknowledge))
    const [taken, ...more] = answers.filter(({ problem }) => problem === null)
    expect(more).toEqual([])
    const { receipt_id: first } = taken as { receipt_id: string }
    for (const { problem } of answers.filter((answer) => answer !== taken))
      expect(problem).toMatchObject({ status: 409, code: 'already_exists', receipt_id: first })
    const { state } = await status(runId)
    expect(state === 'exception_open').toBe(!taken?.accepted)
  }
})

verifies('task.dispute-closed', 'a closed run is disputed without being reopened', async () => {
  const { taskId, token, runId } = await delivered()
  const { receipt_id } = (await asAgent().call('fetch-return-package', packageInput(runId))).body
    .verification_packet
  const dispute = (note: string) =>
    asAgent().call('record-agent-use-receipt', {
      mode: 'record_agent_use_receipt',
      run_id: runId,
      receipt_id,
      accepted: false,
      note,
      idempotency_key: key(),
    })
  const replay = async () => (await asHolder(token).call('task-replay-package', {})).body
  const before = await replay()
  const { body } = await dispute('a row is missing')
  expect(body).toMatchObject({
    acknowledgement: { payload: { accepted: false, note: 'a row is missing' } },
    dispute: {
      code: 'caller_dispute',
      detail: 'a row is missing',
      state: 'open',
      resume_state: null,
      allowed_recoveries: ['abandon'],
    },
  })
  expect(await problemOf(dispute('still'))).toMatchObject({ code: 'already_exists' })
  expect([(await status(runId)).state, await replay()]).toEqual(['closed', before])
  const listed = () => transaction(apis.db, (tx) => listAttention(tx, { kinds: ['task'] }, 500))
  expect((await listed()).filter(({ id }) => id === taskId)).toMatchObject([
    { code: 'caller_dispute', state: 'closed', detail: 'a row is missing' },
  ])
  const { exception_id } = body.dispute!
  expect(await status(runId)).toMatchObject({
    waiting_for: ['recovery'],
    next_action: expect.stringContaining(`an operator to end the dispute ${exception_id}`),
    required_action: { by: 'operator', arguments: { exception_id, action: 'abandon' } },
  })
  const ended = { action: 'abandon', note: 'we agree', idempotency_key: key() } as const
  expect((await asHolder(token).call('task-recover', ended)).body).toMatchObject({
    recovery_request: { action: 'abandon', state: 'done' },
    task: { state: 'closed' },
    exception: { state: 'abandoned' },
    receipt: { kind: 'recovery', payload: { outcome: 'abandoned', note: 'we agree' } },
  })
  expect((await listed()).filter(({ id }) => id === taskId)).toEqual([])
  expect(await status(runId)).toMatchObject({ waiting_for: [], required_action: null })
  const again = { ...ended, idempotency_key: key() }
  expect(await problemOf(asHolder(token).call('task-recover', again))).toMatchObject({
    code: 'wrong_state',
  })
})

verifies(
  'agent-use.runs',
  'an agent sees its own runs by state and rail, the newest first',
  async () => {
    const fresh = await agreed()
    const list = async (more: Partial<InputOf<'read-agent-use-runs'>> = {}, by = known) =>
      (await clientOf(by).call('read-agent-use-runs', { mode: 'read_agent_use_runs', ...more }))
        .body
    const all = await list()
    expect(all.items[0]?.run_id).toBe(fresh.runId)
    expect(all.total).toBe(all.items.length)
    const trusted = await list({ state: 'trusted', limit: 1, offset: 1 })
    expect(trusted).toMatchObject({ total: all.totals.trusted, offset: 1, limit: 1 })
    expect(trusted.items.map(({ state }) => state)).toEqual(['trusted'])
    expect(await list({ rail: 'diligenceops' })).toMatchObject({ items: [], total: 0, totals: {} })
    expect(await list({}, stranger)).toMatchObject({ total: 0 })
  },
)
