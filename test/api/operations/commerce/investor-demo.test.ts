import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import type { InputOf } from '../../../../api/http/client.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(1)
})
afterAll(() => apis?.stop())

const run = async (input: InputOf<'investor-demo-run'>) =>
  (await apis.open().call('investor-demo-run', input)).body
const rows = async () =>
  (
    await sql<Record<string, number>>`select
      (select count(*)::int from commerce_proofs) as proofs,
      (select count(*)::int from proof_relays) as relays,
      (select count(*)::int from usage_events) as events,
      (select count(*)::int from model_calls) as models,
      (select count(*)::int from tasks) as tasks,
      (select count(*)::int from postings) as postings`.execute(apis.db)
  ).rows[0]

verifies('demo.sample', 'the tour is one signed sample, with live counts', async () => {
  const before = await rows()
  const { body: first } = await apis.open().call('investor-demo-read', {})
  const { body: second } = await apis.open().call('investor-demo-detail-read', {})
  const { verification_packet, ...same } = second
  expect(same).toEqual(first)
  expect(verification_packet).toBeDefined()
  expect(first).toMatchObject({
    sample: true,
    usage: 'synthetic',
    persisted: false,
    model_calls: 0,
    receipt: { kind: 'sample', payload: { relay_id: first.analysis_proof_relay.relay_id } },
    free_proof: { proof_id: null },
  })
  expect(first.receipt.payload).toMatchObject({
    packet_sha256: digestOf(verification_packet),
    free_proof_sha256: digestOf({
      analysis: first.free_proof.analysis,
      decision: first.free_proof.decision,
    }),
  })
  expect(await rows()).toEqual(before)
  await run({})
  const { body: after } = await apis.open().call('investor-demo-read', {})
  expect(after.live.ledger_events).toBe(first.live.ledger_events + 1)
  expect({ ...after, live: null }).toEqual({ ...first, live: null })
})

verifies('demo.run', 'what is given is proven and relayed, and its digest is kept', async () => {
  const before = await rows()
  const text = `Access ${key()} is reviewed every quarter.`
  const given = { evidence: [{ name: 'policy.md', text }], deck: { slide: 3 } }
  const made = await run(given)
  const evidence = [{ name: 'policy.md', text, section: 'evidence' }]
  const context_sha256 = digestOf({ ...given, evidence })
  expect(made).toMatchObject({
    context_sha256,
    unread_members: ['deck'],
    free_proof: { analysis: { usage: 'synthetic', analysis_mode: 'fallback' } },
    receipt: { kind: 'relay', payload: { context_sha256, usage: 'synthetic' } },
    ledger: [
      { unit: 'synthetic_relay', credit_units: 0, hash: made.analysis_proof_relay.entry_hash },
    ],
  })
  expect(made.receipt.receipt_id).toBe(made.analysis_proof_relay.receipt_id)
  const after = await rows()
  expect(after).toEqual({
    ...before,
    proofs: Number(before?.['proofs']) + 1,
    relays: Number(before?.['relays']) + 1,
    events: Number(before?.['events']) + 1,
  })
  const other = await run({ ...given, deck: { slide: 4 } })
  expect(other.context_sha256).not.toBe(context_sha256)
  const packet = { title: 'Access', items: [{ name: 'a.md', section: 'access', text }] }
  expect((await run({ packet })).free_proof.analysis.input_sha256).not.toBe(
    made.free_proof.analysis.input_sha256,
  )
  const { body } = await apis.open().call('investor-demo-detail-run', given)
  expect(body.step_timings.map(({ step }) => step)).toEqual(['free_proof', 'proof_relay'])
  expect(body).toMatchObject({ context_sha256, verification_packet: expect.anything() })
})

verifies('demo.run', 'a repeat is the first answer, and secrets are refused anywhere', async () => {
  const idempotency_key = key()
  const first = await run({ deck: 1, idempotency_key })
  const before = await rows()
  expect(await run({ deck: 1, idempotency_key })).toEqual(first)
  expect(await rows()).toEqual(before)
  const secret = `sk_live_${'a1B2'.repeat(8)}`
  const asName = { [secret]: 1 }
  expect(await codeOf(apis.open().call('investor-demo-run', asName))).toBe('forbidden_material')
  const hidden = { deck: { notes: [secret] } }
  expect(await codeOf(apis.open().call('investor-demo-run', hidden))).toBe('forbidden_material')
  expect(await rows()).toEqual(before)
})
