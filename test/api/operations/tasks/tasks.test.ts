import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { acceptanceText } from '#domain/agents/signature.ts'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { type LedgerEntry, verifyLedger } from '#domain/tasks/ledger.ts'
import { allowedTaskEvents } from '#domain/tasks/lifecycle.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient, ProblemError } from '../../../../api/http/client.ts'
import { manifestOf } from '../../../../api/services/tasks/input.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let known: Awaited<ReturnType<typeof trustedAgent>>
beforeAll(async () => {
  apis = await startComposedTasks()
  known = await trustedAgent(hosts(), apis.operator)
})
afterAll(async () => {
  await apis?.stop()
})

const hosts = (api = 0) => apis.hosts[api]!
const key = () => randomBytes(6).toString('hex')
const digest = 'ab'.repeat(32)
const asAgent = (api = 0) =>
  createClient({ baseUrl: hosts(api).base, osUrl: hosts(api).os, agent: known.credential })
/** Signs for the configured origin, and calls where it listens. */
const asHolder = (statusToken: string) => {
  const { OS_URL } = apis.config
  const send = (url: string, init: RequestInit) => fetch(url.replace(OS_URL, hosts().os), init)
  return createClient({
    baseUrl: hosts().base,
    osUrl: OS_URL,
    fetch: send,
    statusToken,
    signAsAgent: known.agent.signText,
  })
}
const asOperator = (statusToken: string) =>
  createClient({ baseUrl: hosts().base, osUrl: hosts().os, operator: apis.operator, statusToken })

const begin = async (more: { idempotency_key?: string } = {}, api = 0) =>
  (
    await asAgent(api).call('preflight', {
      rail: 'tokenops',
      tier: 'standard',
      input: tokenops.sandboxInput as unknown as Record<string, unknown>,
      objective: 'what each model cost',
      idempotency_key: key(),
      ...more,
    })
  ).body
const prepare = async (task_token: string) =>
  (await asAgent().call('contract-prepare', { task_token, idempotency_key: key() })).body
const accept = (contract_id: string, terms_sha256: string) =>
  asAgent().call('contract-accept', {
    contract_id,
    terms_sha256,
    idempotency_key: key(),
    signature: known.agent.signText(acceptanceText(contract_id, terms_sha256)),
  })
const raise = (token: string) =>
  asHolder(token).call('task-exception-raise', {
    code: 'caller_dispute',
    detail: 'wrong',
    idempotency_key: key(),
  })
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => (error instanceof ProblemError ? error.problem : error),
  )

verifies('task.preflight.lengths', 'a preflight takes only the length of its input', async () => {
  const input = tokenops.sandboxInput as unknown as Record<string, unknown>
  const [{ sha256, bytes } = { sha256: '', bytes: 0 }] = manifestOf(input)
  const announce = (...lengths: number[]) =>
    asAgent().call('preflight', {
      rail: 'tokenops',
      tier: 'standard',
      input,
      input_manifest: lengths.map((bytes) => ({ name: 'usage', sha256, bytes })),
      objective: 'what each model cost',
      idempotency_key: key(),
    })
  for (const other of [bytes - 1, bytes + 1, 2 ** 28])
    expect(await refusal(announce(other)), String(other)).toMatchObject({
      code: 'evidence_mismatch',
      detail: `usage has ${bytes} bytes, not ${other}`,
    })
  for (const faulty of [[0], [2 ** 28 + 1], [bytes, bytes]])
    expect(await refusal(announce(...faulty)), String(faulty)).toMatchObject({
      code: 'invalid_request',
    })
  expect((await announce(bytes)).body).toMatchObject({ blocking: [] })
})

verifies(
  'task.http.begin',
  'repeated preflight, contract and acceptance happen once each',
  async () => {
    const idempotency_key = key()
    const [first, second] = await Promise.all([
      begin({ idempotency_key }),
      begin({ idempotency_key }, 1),
    ])
    expect(second).toEqual(first)
    expect(first).toMatchObject({ task: { state: 'preflight_checked' }, blocking: [] })
    const { contract, receipt } = await prepare(first.task_token)
    expect(contract).toMatchObject({
      state: 'ready',
      task_id: first.task.task_id,
      run_contract: null,
    })
    expect(receipt).toMatchObject({ kind: 'intake', subject: contract.contract_id })
    const { body } = await accept(contract.contract_id, contract.terms_sha256)
    expect(body).toMatchObject({
      task: { state: 'trusted', waiting_for: ['credit'] },
      contract: { state: 'accepted' },
    })
    const ledger = (await asHolder(first.task_token).call('task-ledger', {})).body
    expect(verifyLedger(first.task.task_id, ledger.entries as LedgerEntry[])).toEqual({
      ok: true,
      head_hash: ledger.head_hash,
    })
    expect(ledger.entries.map(({ event }) => event)).toEqual([
      'submit',
      'preflight_passed',
      'contract_prepared',
      'contract_accepted',
      'trust_requested',
      'trust_granted',
    ])
    expect(apis.logged()).not.toContain(first.task_token)
  },
)

verifies(
  'task.http.begin',
  'only the registered key accepts a contract, by its own terms',
  async () => {
    const { task_token } = await begin()
    const { contract } = await prepare(task_token)
    const { contract_id, terms_sha256 } = contract
    const forged = { contract_id, terms_sha256, signature: 'A'.repeat(86), idempotency_key: key() }
    expect(await refusal(asAgent().call('contract-accept', forged))).toMatchObject({
      code: 'proof_invalid',
    })
    expect(await refusal(accept(contract_id, digest))).toMatchObject({ code: 'terms_mismatch' })
    const another = await trustedAgent(hosts(), apis.operator)
    const client = createClient({
      baseUrl: hosts().base,
      osUrl: hosts().os,
      agent: another.credential,
    })
    expect(await refusal(client.call('contract-read', { contract_id }))).toMatchObject({
      code: 'not_owner',
    })
  },
)

verifies(
  'production.gate-acceptance',
  'an operational contract is accepted through the gate',
  async () => {
    const writesOf = async (subject: string) =>
      (
        await sql`select operation_id, credential_id is not null as keyed, passed
          from production_writes where subject = ${subject}`.execute(apis.db)
      ).rows
    const one = await begin()
    const { contract: first } = await prepare(one.task_token)
    await accept(first.contract_id, first.terms_sha256)
    const passed = [{ operation_id: 'contract-accept', keyed: true, passed: true }]
    expect(await writesOf(one.task.task_id)).toEqual(passed)

    // With a status token, the active key of the agent is judged; without one nothing is accepted.
    const two = await begin()
    const { contract: second } = await prepare(two.task_token)
    const by = (token: string, { contract_id, terms_sha256 }: typeof second) => {
      const signature = known.agent.signText(acceptanceText(contract_id, terms_sha256))
      const input = { contract_id, terms_sha256, signature, idempotency_key: key() }
      return asHolder(token).call('contract-accept', input)
    }
    await by(two.task_token, second)
    expect(await writesOf(two.task.task_id)).toEqual(passed)

    const three = await begin()
    const { contract: third } = await prepare(three.task_token)
    const { agent_id } = known.registered.agent
    const setKeys = (state: string) =>
      transaction(apis.db, async (tx) => {
        await sql`alter table agent_credentials disable trigger user`.execute(tx)
        await sql`update agent_credentials set state = ${state},
          revoked_at = case when ${state} = 'revoked' then now() end where agent_id = ${agent_id}`.execute(
          tx,
        )
        await sql`alter table agent_credentials enable trigger user`.execute(tx)
      })
    await setKeys('revoked')
    const refused = await refusal(by(three.task_token, third))
    expect(refused).toMatchObject({ status: 401, code: 'credential_required', money_moved: 'no' })
    expect((refused as unknown as { gate: unknown[] }).gate).toHaveLength(5)
    await setKeys('active')
    expect(await writesOf(three.task.task_id)).toEqual([])
    expect((await asHolder(three.task_token).call('task-ledger', {})).body.task.state).toBe(
      'contract_ready',
    )
  },
)

verifies(
  'task.http.out-of-turn',
  'contract, acceptance and exception out of turn are refused',
  async () => {
    const { task, task_token } = await begin()
    const { contract } = await prepare(task_token)
    const outOfTurn = async (
      call: Promise<unknown>,
      state: 'contract_ready' | 'trusted' | 'exception_open',
    ) => {
      const problem = await refusal(call)
      expect(problem).toMatchObject({
        code: 'wrong_state',
        status: 409,
        allowed_events: allowedTaskEvents(state),
      })
      const read = (await asHolder(task_token).call('task-ledger', {})).body
      expect(read.task.state).toBe(state)
    }
    await outOfTurn(prepare(task_token), 'contract_ready')
    await accept(contract.contract_id, contract.terms_sha256)
    await outOfTurn(accept(contract.contract_id, contract.terms_sha256), 'trusted')
    const { body } = await raise(task_token)
    expect(body).toMatchObject({
      exception: {
        code: 'caller_dispute',
        state: 'open',
        resume_state: 'trusted',
        money_moved: 'no',
      },
      task: {
        task_id: task.task_id,
        state: 'exception_open',
        resume_state: 'trusted',
        waiting_for: ['recovery'],
      },
    })
    await outOfTurn(raise(task_token), 'exception_open')
    const listed = (await asHolder(task_token).call('task-exceptions', {})).body
    expect(listed).toMatchObject({
      items: [body.exception],
      allowed_recoveries: body.exception.allowed_recoveries,
    })
  },
)

verifies('task.exception.holder', 'the holder of a task states no finding of others', async () => {
  const { task_token } = await begin()
  for (const code of ['validator_failed', 'payment_reversed', 'operator_hold'] as const)
    expect(
      await refusal(
        asHolder(task_token).call('task-exception-raise', {
          code,
          detail: 'The validator refuses the work.',
          idempotency_key: key(),
        }),
      ),
    ).toMatchObject({ code: 'scope_denied', status: 403 })
  expect((await asHolder(task_token).call('task-exceptions', {})).body.items).toEqual([])
})

verifies(
  'task.http.read',
  'token and task id read the same; a token alone changes nothing',
  async () => {
    const { task, task_token } = await begin()
    const own = (await asHolder(task_token).call('task-ledger', {})).body
    expect((await asOperator(task_token).call('task-ledger', {})).body).toEqual(own)
    expect((await asOperator(task.task_id).call('task-ledger', {})).body).toEqual(own)
    expect(await refusal(asHolder(task.task_id).call('task-ledger', {}))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusal(asHolder(`tk_${'A'.repeat(43)}`).call('task-ledger', {}))).toMatchObject({
      code: 'not_found',
    })
    const page = (
      await asHolder(task_token).call('task-ledger', { from_sequence: '2', limit: '1' })
    ).body
    expect(page).toMatchObject({ entries: [own.entries[1]], complete: true })
    const status = (await asHolder(task_token).call('agent-status', {})).body
    expect(status).toMatchObject({ kind: 'task', task: { task_id: task.task_id } })
    expect(await refusal(asHolder(task_token).call('task-attestation', {}))).toMatchObject({
      code: 'not_ready',
    })
    const alone = await fetch(`${hosts().os}/api/agents/tasks/${task_token}/exceptions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: 'caller_dispute', detail: 'x', idempotency_key: key() }),
    })
    expect(alone.status).toBe(401)
  },
)
