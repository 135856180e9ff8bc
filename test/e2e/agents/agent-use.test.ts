import { createHash } from 'node:crypto'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { openAgentUse, problemOf } from '../../support/agent-use.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { unzipped } from '../../support/unzipped.ts'
import { verifies } from '../../verifies.ts'

type AgentUse = Awaited<ReturnType<typeof openAgentUse>>
let stack: TestStack
let agent: AgentUse
beforeAll(async () => {
  stack = await startStack()
  agent = await openAgentUse(hosts(), stack.accounts.operator.credential)
})
afterAll(() => stack?.stop())

const hosts = () => ({ base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string })
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
/** Waits with the service until the run is there. */
async function reaches(runId: string, state: string) {
  const until = performance.now() + 60_000
  for (;;) {
    const run = await agent.status(runId, 20_000)
    if (run.state === state) return run
    if (performance.now() > until) throw new Error(`the run is ${run.state} and not ${state}`)
  }
}

/** Asks the loop’s own place whether the run waits for its review. */
async function reviewed(runId: string) {
  const waits = async () =>
    (await agent.status(runId)).loop.steps.find(({ step }) => step === 'review_step')?.state
  await expect.poll(waits).toBe('waits')
  await agent.approve('loop_step', runId)
}

verifies(
  'agent-use.end-to-end',
  'a paid run of each rail is reviewed, charged, closed and verified',
  async () => {
    for (const rail of ['packetops', 'diligenceops'] as const) {
      const { quote_id, total_usd } = await agent.quote(rail)
      const { payment_reference_id } = await agent.pay(quote_id)
      const { body } = await agent.start({
        ...agent.startInput(quote_id, rail),
        payment_reference_id,
      })
      const { run_id, task_id, state } = body.run
      expect(state).toBe('credit_pending')
      await agent.approve('payment_reference', payment_reference_id)
      await reaches(run_id, 'credit_funded')
      await agent.approve('task', task_id)
      await reviewed(run_id)
      const run = await reaches(run_id, 'closed')
      expect(run).toMatchObject({
        payment_reference_id,
        quote_id,
        settlement_receipt_id: expect.stringMatching(/^rc_/),
      })
      const asked = { mode: 'fetch_return_package', run_id } as const
      const { return_package, verification_packet } = (
        await agent.client.call('fetch-return-package', asked)
      ).body
      expect(verification_packet).toMatchObject({ verified: true, kind: 'attestation' })
      const { usage_receipt_id, settlement_receipt_id } = run
      expect(return_package.result_contract).toMatchObject({
        usage_receipt_id,
        settlement_receipt_id,
      })
      const credit = (
        await agent.client.call('agent-credit-read', { entitlement_id: run.entitlement_id ?? '' })
      ).body
      const { consumed_units, returned_units } = credit.entitlement
      expect(consumed_units + returned_units).toBe(total_usd)
      await verifiedByStrangers(run_id, run)
    }
  },
)

verifies(
  'agent-use.start',
  'after a kill in mid-call the API resumes the task on the same call',
  async () => {
    const { quote_id } = await agent.quote('packetops', 3)
    const input = agent.startInput(quote_id)
    for (const ms of [40, 120, 250]) {
      const cut = agent.start(input).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, ms))
      await stack.api().kill('SIGKILL')
      await cut
      await stack.api().start()
      await stack.api().waitReady()
    }
    const problem = () => problemOf(agent.start(input))
    await expect.poll(async () => (await problem()).retry_after_ms ?? 0).toBe(0)
    expect(await problem()).toMatchObject({
      code: 'payment_required',
      run: { quote_id, state: 'credit_pending' },
    })
    const listed = { mode: 'read_agent_use_runs', state: 'credit_pending' } as const
    expect(
      (await agent.client.call('read-agent-use-runs', listed)).body.items.map(
        (run) => run.quote_id,
      ),
    ).toEqual([quote_id])
  },
)

/** By unzip, SHA-256 and jose, with the published keys alone. */
async function verifiedByStrangers(
  run_id: string,
  { proof_hash, completion_signature }: Awaited<ReturnType<typeof reaches>>,
) {
  const answer = await fetch(`${hosts().base}/api/agent-use`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${agent.credential}`,
      'Content-Type': 'application/json',
      Accept: 'application/zip',
    },
    body: JSON.stringify({ mode: 'fetch_return_package', run_id }),
  })
  const files = await unzipped(new Uint8Array(await answer.arrayBuffer()))
  const text = (name: string) => files.get(name) ?? ''
  for (const { name, sha256: digest } of JSON.parse(text('manifest.json')) as {
    name: string
    sha256: string
  }[])
    expect(sha256(text(name))).toBe(digest)
  const keys = (await (
    await fetch(`${hosts().base}/.well-known/jwks.json`)
  ).json()) as JSONWebKeySet
  const { payload } = await compactVerify(text('completion.jws'), createLocalJWKSet(keys))
  expect(text('completion.jws')).toBe(completion_signature)
  expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({
    run_id,
    proof_hash,
    manifest_sha256: sha256(text('manifest.json')),
    result_sha256: sha256(text('result.json')),
  })
}
