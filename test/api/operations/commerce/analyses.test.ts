import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { canonicalJson, sha256Hex } from '#domain/core/canonical-json.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { artifactOf, freeProof } from '../../../support/commerce.ts'
import { startComposed } from '../../../support/composed-api.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(1)
})
afterAll(() => apis?.stop())

type Input = InputOf<'model-analysis-run'>
const item = (text: string, name = 'policy.md') => ({ name, section: 'policy', text })
const asked = (more: Partial<Input> = {}): Input => ({
  packet: {
    title: 'Access',
    required_sections: ['policy', 'review'],
    items: [item('Access rights are reviewed every quarter by the security team.')],
    claims: [{ claim: 'reviewed every quarter', item: 'policy.md' }],
  },
  questions: ['How often are access rights reviewed?', 'Who cooks lunch?'],
  ...more,
})
const run = async (input = asked()) => (await apis.open().call('model-analysis-run', input)).body

verifies('analysis.rules', 'an analysis follows from its input, without a model', async () => {
  const first = await run()
  expect(first.analysis).toMatchObject({
    analysis_mode: 'fallback',
    model: null,
    coverage: { questions: 2, answered: 1 },
    unsupported_claims: [],
    usage: 'unspecified',
  })
  expect(first.analysis.gaps.map(({ gap }) => gap)).toContain('section_missing')
  const answered = first.analysis.findings.find(({ finding }) => finding === 'answered')
  expect(answered).toMatchObject({
    item: 'policy.md',
    citation: { pointer: '/packet/items/0/text' },
  })
  const again = await run()
  const { analysis_id: one, ...same } = first.analysis
  const { analysis_id: other, ...repeated } = again.analysis
  expect([other === one, repeated]).toEqual([false, same])
  const packet = {
    ...asked().packet,
    items: [item('Backups exist.'), { ...item('Reviewed.', 'b.md'), section: 'review' }],
  }
  const changed = (await run({ ...asked(), packet })).analysis
  expect(changed.gaps).not.toEqual(first.analysis.gaps)
  expect(changed.coverage.answered).toBe(0)
  expect(changed.unsupported_claims).toMatchObject([{ reason: 'not_stated' }])
})

verifies('analysis.proof', 'an analysis is stored, and its proof is signed over it', async () => {
  const { analysis, proof_id, receipt, verification_packet, guardrails } = await run()
  expect(guardrails).toEqual({ calls_left: null, bytes: 262_144 })
  const row = await apis.db
    .selectFrom('evidence_analyses')
    .selectAll()
    .where('analysis_id', '=', analysis.analysis_id)
    .executeTakeFirstOrThrow()
  const digest = sha256Hex(canonicalJson(analysis))
  expect(row).toMatchObject({ proof_id, agent_id: null, analysis_sha256: digest })
  expect(verification_packet.inputs[0]).toMatchObject({
    name: 'service:analysis.json',
    sha256: digest,
    recomputed: true,
  })
  expect(receipt.payload['packet_sha256']).toBe(sha256Hex(canonicalJson(verification_packet)))
  const change = sql`update evidence_analyses set agent_id = null`.execute(apis.db)
  await expect(change).rejects.toThrow('an analysis stays as it was written')
})

verifies('analysis.owner', 'an analysis with a key is of its agent', async () => {
  const agent = await apis.agent(['runs:read'])
  const { analysis, proof_id } = (await agent.call('model-analysis-run', asked())).body
  expect(analysis.usage).toBe('operational')
  const read = (await agent.call('commerce-proof-read', { proof_id })).body
  expect(read).toMatchObject({ agent: { agent_id: agent.agentId } })
  expect(await codeOf(apis.open().call('commerce-proof-read', { proof_id }))).toBe('not_found')
})

verifies('analysis.read', 'only its agent reads an analysis again by its id', async () => {
  const [agent, other] = [await apis.agent(['runs:read']), await apis.agent(['runs:read'])]
  const signer = await apis.agent(['signing:use'])
  const { analysis, proof_id } = (await agent.call('model-analysis-run', asked())).body
  const { analysis_id } = analysis
  const { body } = await agent.call('model-analysis-read', { analysis_id })
  expect(body).toMatchObject({
    analysis,
    proof_id,
    analysis_sha256: sha256Hex(canonicalJson(analysis)),
  })
  const read = (by: Pick<typeof agent, 'call'>, id = analysis_id) =>
    codeOf(by.call('model-analysis-read', { analysis_id: id }))
  expect(await read(other)).toBe('not_found')
  expect(await read(signer)).toBe('scope_denied')
  expect(await read(apis.open())).toBe('credential_required')
  const open = await run()
  expect(await read(agent, open.analysis.analysis_id)).toBe('not_found')
})

verifies('analysis.reserved', 'no caller names an item as this service does', async () => {
  const names = [
    'service:analysis.json',
    'Service:x',
    'ｓｅｒｖｉｃｅ：x',
    'ser\u00advice:x',
    ' service :x',
    'ѕеrvісе:analysis.json',
    'service\u2236analysis.json',
    'service\ua789analysis.json',
  ]
  for (const name of names) {
    const packet = { ...asked().packet, items: [item('Text.', name)], claims: [] }
    const refused = await problemOf(run({ ...asked(), packet }))
    expect([name, refused.status]).toEqual([name, 400])
  }
  const forged = freeProof({
    return_package: { artifacts: [artifactOf('{}', 'service:analysis.json')], claims: [] },
  })
  expect((await problemOf(apis.open().call('commerce-proof-evaluate', forged))).status).toBe(400)
})

verifies('analysis.bounded', 'a body over 256 KiB is 413, and a smaller one is taken', async () => {
  const text = (bytes: number) => 'Access is reviewed. '.repeat(bytes / 20)
  const packet = (bytes: number) => ({ ...asked().packet, items: [item(text(bytes))] })
  const large = { ...asked(), packet: packet(263_000), questions: [] }
  expect(await problemOf(run(large))).toMatchObject({ status: 413, code: 'payload_too_large' })
  expect((await run({ ...large, packet: packet(200_000) })).analysis.findings).toBeDefined()
})

verifies('analysis.sample', 'the sample is synthetic, and nothing of it is stored', async () => {
  const count = async () =>
    (await apis.db.selectFrom('evidence_analyses').select('proof_id').execute()).length
  const before = await count()
  const { body } = await apis.open().call('model-analysis-read', {})
  if (!('sample' in body)) throw new Error('a sample was expected')
  expect(body).toMatchObject({
    sample: true,
    persisted: false,
    force_fallback: true,
    analysis: { usage: 'synthetic', analysis_mode: 'fallback', coverage: { answered: 1 } },
  })
  const digest = sha256Hex(canonicalJson(body.analysis))
  expect(body.receipt.payload['analysis_sha256']).toBe(digest)
  expect(await count()).toBe(before)
})

verifies('analysis.once', 'a repeat under its key is one analysis', async () => {
  const agent = await apis.agent(['runs:read'])
  const send = async (idempotencyKey: string) => {
    const answer = await fetch(`${apis.hosts[0]?.base}/api/model-evidence-analysis`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${agent.credential}`,
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify(asked()),
    })
    return [answer.status, await answer.json()]
  }
  const repeated = key()
  const first = await send(repeated)
  expect([first[0], await send(repeated)]).toEqual([200, first])
  expect(await send(key())).not.toEqual(first)
})

verifies('analysis.quota', 'an address has so many analyses a day, an agent its own', async () => {
  const env = {
    QUOTA_ANALYSES_PER_DAY: '3/2/5/100',
    MODEL_URL: 'http://127.0.0.1:9/v1',
    MODEL_NAME: 'test-model',
  }
  const own = await startComposed({ env })
  try {
    const open = createClient({ baseUrl: own.hosts[0]?.base ?? '', retryForMs: 0 })
    const free = asked({ force_fallback: true })
    const first = (await open.call('model-analysis-run', free)).body
    expect(first).toMatchObject({
      analysis: { analysis_mode: 'fallback' },
      guardrails: { calls_left: 20 },
    })
    // Without a worker the model does not answer; the call that was counted stays so.
    const unanswered = await problemOf(open.call('model-analysis-run', asked()))
    expect(unanswered).toMatchObject({ status: 502, code: 'provider_failed', retryable: true })
    const counted = await own.db.selectFrom('analysis_calls').select(['scope', 'calls']).execute()
    expect(counted.map(({ calls }) => calls)).toEqual([1, 1])
    const over = await problemOf(open.call('model-analysis-run', free))
    expect(over).toMatchObject({ status: 429, code: 'rate_guardrail_reached' })
  } finally {
    await own.stop()
  }
})
