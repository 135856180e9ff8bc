import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { createClient, type InputOf, type OutputOf } from '../../../../api/http/client.ts'
import {
  freeProof,
  missionOf,
  paidDelivery,
  storePack,
  storePilot,
} from '../../../support/commerce.ts'
import { connectMcp } from '../../../support/mcp.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf, patiently, problemOf } from '../../../support/problems.ts'
import { decide, trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(2)
})
afterAll(() => apis?.stop())

const publisher = () => apis.agent(['runs:read', 'runs:write', 'proofs:publish'])
type Agent = Awaited<ReturnType<typeof publisher>>
type Input = ReturnType<typeof freeProof>
const hosts = () => apis.hosts[0]!

const evaluate = async (by: Pick<Agent, 'call'>, input: Input = freeProof()) =>
  (await by.call('commerce-proof-evaluate', input)).body
/** A handoff with a pack of this agent. */
const handoff = async (by: Agent) => {
  const mission_id = await storePack(apis.db, by)
  return freeProof({ mission: missionOf('agent_handoff', { mission_id }) })
}
const publish = async (
  by: Pick<Agent, 'call'>,
  proof_id: string,
  publication_consent = true,
  idempotency_key = key(),
) =>
  (await by.call('activity-feed-publish', { proof_id, publication_consent, idempotency_key })).body
const feed = async (query: InputOf<'activity-feed-read'> = {}) =>
  (await apis.open(1).call('activity-feed-read', query)).body
const idsOf = ({ items }: OutputOf<'activity-feed-read'>) => items.map(({ proof_id }) => proof_id)

verifies('commerce.feed', 'without a published proof it says why it is empty', async () => {
  const agent = await publisher()
  await evaluate(agent)
  expect(await feed()).toMatchObject({
    items: [],
    reliability_profiles: [],
    empty_state: { reason: 'nothing_qualifies' },
    total: 0,
    publication_policy: {
      conditions: [
        'bound_to_credential',
        'publication_consent',
        'verified_signed_receipt',
        'persisted_proof_record',
      ],
    },
  })
})

verifies(
  ['commerce.feed', 'commerce.consent'],
  'a proof is there from its consent to its withdrawal',
  async () => {
    const agent = await publisher()
    const proof = await evaluate(agent)
    const key = 'publish-once'
    const published = await publish(agent, proof.proof_id, true, key)
    expect(published).toMatchObject({
      published: true,
      receipt: { kind: 'publication', payload: { consents: true, sequence: 1 } },
    })
    expect(published.conditions.map(({ ok }) => ok)).toEqual([true, true, true, true])
    const [item] = (await feed({ agent_id: agent.agentId })).items
    expect(item).toMatchObject({
      activity_id: published.activity_id,
      proof_id: proof.proof_id,
      agent_id: agent.agentId,
      decision: 'eligible_to_continue',
      receipt_id: proof.receipt.receipt_id,
    })
    const open = apis.open()
    const shown = (await open.call('commerce-proof-read', { proof_id: proof.proof_id })).body
    expect(shown).toMatchObject({ receipt: proof.receipt, persistence: { published: true } })
    const withdrawn = await publish(agent, proof.proof_id, false)
    expect(withdrawn).toMatchObject({
      published: false,
      receipt: { payload: { consents: false, sequence: 2 } },
    })
    const empty = await feed({ agent_id: agent.agentId })
    expect(empty).toMatchObject({ items: [], empty_state: { reason: expect.any(String) } })
    expect(await codeOf(open.call('commerce-proof-read', { proof_id: proof.proof_id }))).toBe(
      'not_found',
    )
    // A late repeat of the first call answers as it did and changes nothing.
    expect(await publish(agent, proof.proof_id, true, key)).toEqual(published)
    expect(idsOf(await feed({ agent_id: agent.agentId }))).toEqual([])
    expect(await publish(agent, proof.proof_id)).toMatchObject({
      published: true,
      receipt: { payload: { sequence: 3 } },
    })
    expect(idsOf(await feed({ agent_id: agent.agentId }))).toEqual([proof.proof_id])
  },
)

verifies('commerce.consent', 'only the agent publishes, and only with the scope', async () => {
  const [agent, other] = [await publisher(), await publisher()]
  const plain = await apis.agent(['runs:read', 'runs:write'])
  const { proof_id } = await evaluate(agent)
  expect(await codeOf(publish(other, proof_id))).toBe('not_owner')
  expect(await codeOf(publish(plain, proof_id))).toBe('scope_denied')
  const bare = await fetch(`${hosts().base}/api/commerce-activity-feed`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ proof_id, publication_consent: true }),
  })
  expect(bare.status).toBe(401)
  expect(await codeOf(publish(agent, `cp_${'0'.repeat(64)}`))).toBe('not_found')
  const free = await evaluate(apis.open(), freeProof({ mission: missionOf('free_proof') }))
  expect(await codeOf(publish(agent, free.proof_id))).toBe('not_owner')
  expect(await publish(agent, proof_id, false)).toMatchObject({ published: false, receipt: null })
  const consents = { mission: missionOf('agent_handoff', { publication_consent: true }) }
  const [at, unscoped] = [
    await evaluate(agent, freeProof(consents)),
    await evaluate(plain, freeProof(consents)),
  ]
  expect(at.persistence.publication_consent).toBe(true)
  expect(unscoped.persistence.publication_consent).toBe(false)
  await expect
    .poll(async () => idsOf(await feed({ agent_id: agent.agentId })))
    .toEqual([at.proof_id])
  const sandbox = await trustedAgent(hosts(), apis.operator, {
    sandbox: true,
    requested_scopes: ['runs:read', 'runs:write', 'proofs:publish'],
  })
  const client = createClient({ baseUrl: hosts().base, agent: sandbox.credential })
  const { proof_id: synthetic } = await evaluate(client, freeProof(consents))
  expect(await codeOf(publish(client, synthetic))).toBe('scope_denied')
  expect(idsOf(await feed())).not.toContain(synthetic)
})

verifies('commerce.consent', 'parallel consents and withdrawals end in one state', async () => {
  const agent = await publisher()
  const { proof_id } = await evaluate(agent)
  await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      patiently(() => publish(agent.clients[at % 2] ?? agent, proof_id, at % 3 !== 0)),
    ),
  )
  const { rows } = await sql<{ seq: number; consents: boolean }>`
    select seq, consents from commerce_consents where proof_id = ${proof_id} order by seq`.execute(
    apis.db,
  )
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1))
  expect(rows.map(({ consents }) => consents)).toEqual(rows.map((_, at) => at % 2 === 0))
  const last = rows.at(-1)?.consents === true
  expect(idsOf(await feed({ agent_id: agent.agentId }))).toEqual(last ? [proof_id] : [])
})

verifies('commerce.feed', 'the proofs of an agent are there while it is trusted', async () => {
  const agent = await publisher()
  const { proof_id } = await evaluate(agent)
  await publish(agent, proof_id)
  const shown = async () => idsOf(await feed({ agent_id: agent.agentId }))
  expect(await shown()).toEqual([proof_id])
  await decide(hosts(), apis.operator, agent.agentId, 'hold')
  expect(await shown()).toEqual([])
  await decide(hosts(), apis.operator, agent.agentId, 'approve')
  expect(await shown()).toEqual([proof_id])
})

verifies('commerce.feed', 'pages are bounded, and profiles count what is published', async () => {
  const agent = await publisher()
  const proofs = []
  for (let at = 0; at < 2; at++) proofs.push(await evaluate(agent, await handoff(agent)))
  proofs.push(await evaluate(agent, await paidDelivery(apis, agent)))
  // Nothing paid for the run of this pilot.
  const unpaid = { mission_id: await storePilot(apis.db, agent) }
  proofs.push(await evaluate(agent, freeProof({ mission: missionOf('pilot_delivery', unpaid) })))
  for (const { proof_id } of proofs) await publish(agent, proof_id)
  const unpublished = await evaluate(agent, freeProof({ mission: missionOf('pilot_delivery') }))
  const all = await feed({ agent_id: agent.agentId })
  expect(idsOf(all)).toEqual(proofs.map(({ proof_id }) => proof_id).reverse())
  expect(idsOf(all)).not.toContain(unpublished.proof_id)
  expect(all.reliability_profiles).toMatchObject([
    {
      agent_id: agent.agentId,
      // What a handoff was for is its builder's own word, so that it is shown and not counted.
      published: 2,
      eligible_to_continue: 1,
      payment_hold: 1,
      eligible_percent: 50,
    },
  ])
  const page = await feed({ agent_id: agent.agentId, offset: '1', limit: '2' })
  expect(idsOf(page)).toEqual(idsOf(all).slice(1, 3))
  expect(page).toMatchObject({ offset: 1, limit: 2, total: 4 })
  // What rests on the word of its agent alone is shown as such, and counts for nothing.
  const word = await evaluate(agent, freeProof({ protocol_binding: 'a2a' }))
  await publish(agent, word.proof_id)
  expect(word).toMatchObject({
    protocol_binding: 'a2a',
    receipt: { payload: { protocol_binding: null } },
  })
  const more = await feed({ agent_id: agent.agentId })
  expect(more.items[0]).toMatchObject({
    proof_id: word.proof_id,
    usage: 'unspecified',
    protocol_binding: null,
  })
  expect(more.reliability_profiles).toEqual(all.reliability_profiles)
  const kind = await feed({ agent_id: agent.agentId, mission_kind: 'pilot_delivery' })
  expect(idsOf(kind)).toEqual([proofs[3]?.proof_id, proofs[2]?.proof_id])
  const none = await feed({ agent_id: agent.agentId, since: '2099-01-01T00:00:00Z' })
  expect(none.empty_state?.reason).toBe('nothing_matches')
  expect((await feed({ agent_id: agent.agentId, offset: '99' })).empty_state?.reason).toBe(
    'past_the_end',
  )
  for (const query of [{ limit: '0' }, { limit: '101' }, { offset: '-1' }, { offset: '9999999' }])
    expect(await codeOf(feed(query))).toBe('invalid_request')
})

verifies('commerce.records', 'a free proof is shown, and makes no reliability', async () => {
  const agent = await publisher()
  const evidence = [{ name: 'a', text: `What ${key()} says of itself.` }]
  const { proof_id } = (await agent.call('free-proof-run', { evidence })).body
  await publish(agent, proof_id)
  const passport = async () =>
    (await apis.open().call('agent-passport-read', { agent_id: agent.agentId })).body.claims
  const own = { agent_id: agent.agentId }
  expect(await feed(own)).toMatchObject({
    items: [{ proof_id, mission_kind: 'free_proof', usage: 'synthetic' }],
    reliability_profiles: [],
  })
  expect(await passport()).toMatchObject({ reliability: null })
  const delivered = await evaluate(agent, await paidDelivery(apis, agent))
  await publish(agent, delivered.proof_id)
  expect((await feed(own)).reliability_profiles).toMatchObject([{ published: 1, synthetic: 0 }])
  expect((await passport()).reliability).toMatchObject({ published: 1, synthetic: 0 })
})

verifies('commerce.private', 'nothing public holds a text of the agent', async () => {
  const agent = await publisher()
  const texts = ['m-private-117', 'Objective that is private', 'private-name', 'private text']
  const [mission_id = '', objective = '', name = '', text = ''] = texts
  const proof = await evaluate(
    agent,
    freeProof({
      mission: { mission_id, kind: 'agent_handoff', objective },
      agent: { name },
      return_package: { artifacts: [], claims: [{ claim: text, artifact: 'x' }] },
    }),
  )
  await publish(agent, proof.proof_id)
  const { proof_id } = proof
  const shown = [
    await feed({ agent_id: agent.agentId }),
    (await apis.open().call('commerce-proof-read', { proof_id })).body,
    (await apis.open().call('verify-receipt', { receipt_id: proof.receipt.receipt_id })).body,
    (await apis.open().call('verify-receipt', { receipt_id: proof.passport.receipt_id })).body,
  ]
  for (const secret of texts) expect(JSON.stringify(shown)).not.toContain(secret)
})

verifies('commerce.tools', 'both tools are the calls of their operations', async () => {
  const agent = await publisher()
  const { proof_id } = await evaluate(agent)
  const mcp = await connectMcp(hosts().base, { Authorization: `Bearer ${agent.credential}` })
  const names = (await mcp.list()).map(({ name }) => name)
  expect(names).toContain('publish_verified_commerce_proof')
  expect(names).toContain('read_verified_commerce_activity')
  const asked = { proof_id, publication_consent: true, idempotency_key: key() }
  const made = await mcp.call('publish_verified_commerce_proof', asked)
  expect(made.structuredContent).toEqual((await agent.call('activity-feed-publish', asked)).body)
  const read = await mcp.call('read_verified_commerce_activity', { agent_id: agent.agentId })
  expect(read.structuredContent).toEqual(await feed({ agent_id: agent.agentId }))
  const refused = await mcp.call('publish_verified_commerce_proof', {
    ...asked,
    publication_consent: false,
  })
  expect(refused).toMatchObject({
    isError: true,
    structuredContent: { code: 'idempotency_conflict' },
  })
  await mcp.close()
})

verifies('commerce.review', 'a person decides once about what is for a person', async () => {
  const agent = await publisher()
  const input = freeProof({
    return_package: { artifacts: [{ name: 'a', sha256: 'a'.repeat(64) }] },
  })
  const proof = await evaluate(agent, input)
  expect(proof).toMatchObject({
    decision: 'human_review_required',
    persistence: { review_state: 'waiting' },
  })
  const subject = { subject_kind: 'commerce_proof' } as const
  const listed = await apis.console.call('loop-review-console', { kind: 'commerce_proof' })
  const items = listed.body.items.filter(({ subject_id }) => subject_id === proof.proof_id)
  expect(items).toMatchObject([
    {
      subject_id: proof.proof_id,
      state: 'waiting',
      allowed_decisions: ['approve', 'reject'],
    },
  ])
  const stale = await problemOf(
    decide(hosts(), apis.operator, proof.proof_id, 'approve', {
      ...subject,
      evidence_seen_sha256: ['0'.repeat(64)],
    }),
  )
  expect(stale.code).toBe('evidence_changed')
  expect(await codeOf(decide(hosts(), apis.operator, proof.proof_id, 'hold', subject))).toBe(
    'wrong_state',
  )
  const { receipt } = await decide(hosts(), apis.operator, proof.proof_id, 'approve', subject)
  expect(receipt.payload).toMatchObject({
    decision: 'approve',
    commerce_decision: 'eligible_to_continue',
    commerce_receipt_id: proof.receipt.receipt_id,
  })
  const { proof_id } = proof
  const now = (await agent.call('commerce-proof-read', { proof_id })).body
  expect(now).toMatchObject({
    decision: 'eligible_to_continue',
    persistence: { review_state: 'approved' },
    receipt: proof.receipt,
  })
  expect(await codeOf(decide(hosts(), apis.operator, proof_id, 'reject', subject))).toBe(
    'already_decided',
  )
  await publish(agent, proof_id)
  expect((await feed({ agent_id: agent.agentId })).items).toMatchObject([
    { decision: 'eligible_to_continue', reviewed: true },
  ])
})

verifies('commerce.feed', 'a receipt that is not in the log keeps a proof out', async () => {
  const agent = await publisher()
  const { proof_id, receipt } = await evaluate(agent)
  await publish(agent, proof_id)
  expect(idsOf(await feed({ agent_id: agent.agentId }))).toEqual([proof_id])
  // The log refuses this; a thief of the database could do it.
  await sql`alter table log_leaves disable trigger all`.execute(apis.db)
  await sql`delete from log_leaves where entry = log_entry(${receipt.jws})`.execute(apis.db)
  expect(idsOf(await feed({ agent_id: agent.agentId }))).toEqual([])
  await publish(agent, proof_id, false)
  expect(await problemOf(publish(agent, proof_id))).toMatchObject({
    status: 409,
    code: 'not_publishable',
    condition: 'verified_signed_receipt',
  })
})
