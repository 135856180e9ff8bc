import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { analysisFixture } from '#domain/analysis/fixture.ts'
import { canonicalJson, digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import type { InputOf } from '../../../../api/http/client.ts'
import { artifactOf, freeProof } from '../../../support/commerce.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(1)
})
afterAll(() => apis?.stop())

const [issued_at, as_of] = ['2026-09-01', '2026-11-01']
const item = (text: string, name = 'policy.md') => ({ name, section: 'policy', text, issued_at })
const context = (): NonNullable<InputOf<'model-relay-run'>['context']> => ({
  packet: { title: 'Access', as_of, items: [item(`Access ${key()} is reviewed every quarter.`)] },
})
type Caller = Pick<ReturnType<typeof apis.open>, 'call'>
const relay = async (by: Caller, input: InputOf<'model-relay-run'>) =>
  (await by.call('model-relay-run', input)).body
const analyse = async (by: Caller) => (await by.call('model-analysis-run', context())).body
const verified = (receipt_id: string) =>
  expect
    .poll(async () => (await apis.open().call('verify-receipt', { receipt_id })).body.verified)
    .toBe(true)

verifies('relay.bound', 'a relay binds an analysis, its proof, a use and a receipt', async () => {
  const made = await relay(apis.open(), { context: context() })
  const { analysis_result, run_ledger, proof_relay, receipt } = made
  // `pl_` names pilots.
  expect(proof_relay.relay_id).toMatch(/^rly_[0-9a-f]{64}$/)
  expect(receipt).toMatchObject({
    kind: 'relay',
    subject: proof_relay.relay_id,
    payload: {
      analysis_sha256: sha256Hex(canonicalJson(analysis_result)),
      proof_id: made.proof_id,
      entry_hash: run_ledger.hash,
      passport_receipt_id: made.receipt_passport.receipt_id,
    },
  })
  const row = await apis.db
    .selectFrom('proof_relays')
    .selectAll()
    .where('relay_id', '=', proof_relay.relay_id)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({
    agent_id: null,
    analysis_id: analysis_result.analysis_id,
    event_id: run_ledger.event_id,
    receipt_id: receipt.receipt_id,
  })
  await verified(receipt.receipt_id)
  const change = sql`delete from proof_relays`.execute(apis.db)
  await expect(change).rejects.toThrow('a relay stays as it was written')
})

verifies('relay.standing', 'whether a relay can be handed on is read from records', async () => {
  const agent = await apis.agent(['runs:read', 'proofs:publish'])
  const first = await relay(agent, { context: context() })
  expect(first.proof_relay).toMatchObject({ state: 'retry_available', handoff_ready: false })
  await verified(String(first.receipt.payload['commerce_receipt_id']))
  const { analysis_id } = first.analysis_result
  const again = () => relay(agent, { analysis_result: { analysis_id } })
  expect((await again()).proof_relay).toMatchObject({
    state: 'recorded',
    handoff_ready: true,
    retry_available: false,
    next_endpoint: '/api/commerce-activity-feed',
  })
  const publication = { proof_id: first.proof_id, publication_consent: true }
  await agent.call('activity-feed-publish', { ...publication, idempotency_key: key() })
  expect((await again()).retry_handoff_state).toBe('handed_off')
})

verifies('relay.open', 'a proof with a gap that has to be filled is for a person', async () => {
  const { as_of: _undated, ...packet } = context().packet
  const { proof_relay } = await relay(apis.open(), { context: { packet } })
  expect(proof_relay).toMatchObject({
    state: 'recorded',
    next_endpoint: '/api/agent-commerce-proof',
  })
  const { proof_relay: eligible } = await relay(apis.open(), { context: context() })
  expect(eligible).toMatchObject({ state: 'retry_available', retry_available: true })
})

verifies('relay.open', 'a proof of no agent is not handed on', async () => {
  const open = apis.open()
  const { analysis, receipt } = (await open.call('model-analysis-run', context())).body
  await verified(receipt.receipt_id)
  expect((await relay(open, { analysis_result: analysis })).proof_relay).toMatchObject({
    state: 'recorded',
    handoff_ready: false,
    retry_available: false,
    next_endpoint: '/api/agents/register',
  })
})

verifies('relay.open', 'a proof with a failed check is not handed on', async () => {
  const claims = [{ claim: 'Backups are restored every month' }]
  const packet = { ...context().packet, claims }
  const open = apis.open()
  const { analysis, receipt } = (await open.call('model-analysis-run', { packet })).body
  await verified(receipt.receipt_id)
  const { analysis_id } = analysis
  expect(await codeOf(relay(open, { analysis_result: { analysis_id } }))).toBe('evidence_mismatch')
  expect((await relay(open, { analysis_result: analysis })).proof_relay).toMatchObject({
    state: 'recorded',
    handoff_ready: false,
    retry_available: false,
    next_endpoint: '/api/agent-commerce-proof',
  })
})

verifies('relay.caller', 'a use is counted against the caller of the relay alone', async () => {
  const [one, other] = [await apis.agent(['runs:read']), await apis.agent(['runs:read'])]
  const own = await analyse(one)
  const { analysis_id } = own.analysis
  expect(await codeOf(relay(other, { analysis_result: { analysis_id } }))).toBe('not_found')
  expect(await codeOf(relay(apis.open(), { analysis_result: { analysis_id } }))).toBe('not_found')
  const free = await analyse(apis.open())
  const relayed = await relay(other, { analysis_result: free.analysis })
  expect(relayed.run_ledger.agent_id).toBe(other.agentId)
  expect(relayed.receipt.payload['agent_id']).toBe(other.agentId)
  const usesOf = async (by: typeof one) =>
    (await by.call('usage-ledger-read', { limit: '50' })).body as { total: number }
  expect([(await usesOf(one)).total, (await usesOf(other)).total]).toEqual([0, 1])
  const forged = sql`insert into proof_relays (relay_id, agent_id, event_id, receipt_id)
    values (${`rly_${'a'.repeat(64)}`}, ${one.agentId}, ${relayed.run_ledger.event_id}, ${relayed.receipt.receipt_id})`
  await expect(forged.execute(apis.db)).rejects.toThrow('the use of a relay is of its caller')
})

verifies('relay.own', 'nothing of a caller is relayed as an analysis of this service', async () => {
  const open = apis.open()
  const { analysis } = await analyse(open)
  const altered = { ...analysis, gaps: [], findings: [], unsupported_claims: [], model: 'mine' }
  expect(await codeOf(relay(open, { analysis_result: altered }))).toBe('evidence_mismatch')
  const unknown = { analysis_id: `an_${digestOf(altered)}` }
  expect(await codeOf(relay(open, { analysis_result: unknown }))).toBe('not_found')
  const reserved = { ...context().packet, items: [item('{}', 'service:analysis.json')] }
  const refused = await problemOf(relay(open, { context: { packet: reserved } }))
  expect(refused.status).toBe(400)
  // A proof with an item of the same digest is no analysis.
  const text = canonicalJson(altered)
  const forged = freeProof({
    mission: { mission_id: unknown.analysis_id, kind: 'free_proof', objective: 'Pass.' },
    return_package: { artifacts: [artifactOf(text, 'analysis.json')], claims: [] },
  })
  await open.call('commerce-proof-evaluate', forged)
  expect(await codeOf(relay(open, { analysis_result: unknown }))).toBe('not_found')
  const both = { analysis_result: { analysis_id: analysis.analysis_id }, context: context() }
  expect((await problemOf(relay(open, both))).status).toBe(400)
})

verifies('relay.sample', 'without a body, and by GET, a published packet is relayed', async () => {
  const open = apis.open()
  const ran = await relay(open, {})
  expect(ran).toMatchObject({
    analysis_result: { usage: 'synthetic', input_sha256: digestOf(analysisFixture) },
    run_ledger: { unit: 'synthetic_relay' },
    receipt: { usage: 'synthetic' },
  })
  const count = async () =>
    (await apis.db.selectFrom('proof_relays').select('relay_id').execute()).length
  const before = await count()
  const read = (await open.call('model-relay-read', {})).body
  expect(read).toMatchObject({ sample: true, persisted: false, usage: 'synthetic' })
  expect(read.receipt.payload).toMatchObject({
    relay_id: read.proof_relay.relay_id,
    entry_hash: read.ledger_entry.hash,
  })
  expect(await count()).toBe(before)
})

const prove = async (by: Caller, input: InputOf<'free-proof-run'> = {}) =>
  (await by.call('free-proof-run', input)).body
const today = () => new Date().toISOString().slice(0, 10)
const evidence = (text = `Access ${key()} is reviewed.`) => [{ name: 'a.md', text }]

verifies('free-proof.trial', 'a free proof is a trial over what its caller gives', async () => {
  const open = apis.open()
  const one = await prove(open, { evidence: evidence() })
  const other = await prove(open, { evidence: evidence() })
  expect(one.usage).toBe('synthetic')
  expect(one.proof).toMatchObject({
    decision: 'eligible_to_continue',
    analysis: { usage: 'synthetic', analysis_mode: 'fallback' },
  })
  // Judged on the day of the call, unless the caller names another.
  expect(one.proof.analysis).toMatchObject({ as_of: today(), gaps: [] })
  const [supplied] = evidence()
  const old = { ...supplied!, issued_at: '2020-01-01', expires_at: '2021-01-01' }
  const expired = await prove(open, { evidence: [old], as_of, claims: [{ claim: 'Not there' }] })
  expect(expired.proof).toMatchObject({
    decision: 'human_review_required',
    analysis: { as_of, unsupported_claims: [{ claim: 'Not there' }] },
  })
  expect(expired.proof.analysis.coverage).not.toEqual(one.proof.analysis.coverage)
  expect(one.proof.analysis.input_sha256).not.toBe(other.proof.analysis.input_sha256)
  expect(one.receipt).toMatchObject({
    usage: 'synthetic',
    payload: { mission_kind: 'free_proof', money_movement: false },
  })
  const read = (await open.call('commerce-proof-read', { proof_id: one.proof_id })).body
  expect(read).toMatchObject({ usage: 'synthetic', mission_kind: 'free_proof' })
  const agent = await apis.agent(['runs:read', 'proofs:publish'])
  const own = { evidence: evidence(), mission_id: key(), publication_consent: true }
  const published = await prove(agent, own)
  expect(published.receipt.usage).toBe('synthetic')
  const shown = await agent.call('commerce-proof-read', { proof_id: published.proof_id })
  expect(shown.body).toMatchObject({
    usage: 'synthetic',
    mission: { mission_id: own.mission_id },
    persistence: { publication_consent: true },
  })
  const trial = await prove(agent)
  expect(trial.proof.decision).toBe('human_review_required')
  const waiting = await agent.call('commerce-proof-read', { proof_id: trial.proof_id })
  expect(waiting.body).toMatchObject({ persistence: { review_state: null } })
})

verifies('free-proof.findings', 'evidence that fails is not eligible to continue', async () => {
  const open = apis.open()
  const dated = (text: string) => ({ as_of, evidence: [{ ...evidence(text)[0]!, issued_at }] })
  const sound = await prove(open, dated(`MFA is required for administrators of ${key()}.`))
  expect(sound.proof.decision).toBe('eligible_to_continue')
  const failing = await prove(open, dated(`MFA is not required for administrators of ${key()}.`))
  expect(failing.proof).toMatchObject({
    decision: 'human_review_required',
    analysis: {
      findings: [{ finding: 'control_failing' }],
      coverage: { readiness_score: 0, sections: [{ state: 'failing' }] },
    },
  })
  expect(failing.verification_packet.checks).toContainEqual(
    expect.objectContaining({ outcome: 'failed', reason: 'evidence_failing' }),
  )
  const relayed = await relay(open, { analysis_result: failing.proof.analysis })
  expect(relayed.proof_relay).toMatchObject({ state: 'recorded', handoff_ready: false })
})

verifies(
  'free-proof.bounded',
  'a free proof takes no name of this service, and is small',
  async () => {
    const open = apis.open()
    const named = [{ name: 'SERVICE:analysis.json', text: '{}' }]
    expect((await problemOf(prove(open, { evidence: named }))).status).toBe(400)
    const large = await problemOf(prove(open, { evidence: evidence('Long. '.repeat(11_000)) }))
    expect(large.status).toBe(413)
  },
)

verifies('free-proof.sample', 'the sample is decided and signed, and not stored', async () => {
  const count = async () =>
    (await apis.db.selectFrom('commerce_proofs').select('proof_id').execute()).length
  const before = await count()
  const { body } = await apis.open().call('free-proof-read', {})
  expect(body).toMatchObject({
    sample: true,
    persisted: false,
    proof: { decision: 'human_review_required', analysis: { usage: 'synthetic' } },
  })
  const packet = sha256Hex(canonicalJson(body.verification_packet))
  expect(body.passport.claims).toMatchObject({ packet_sha256: packet })
  const url = new URL(body.passport.verify_url)
  const receipt = String(url.searchParams.get('receipt'))
  const { verified: holds } = (await apis.open().call('verify-receipt', { receipt })).body
  expect([holds, await count()]).toEqual([true, before])
})
