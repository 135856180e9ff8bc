import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import type { commerceChecks } from '#domain/commerce/result.ts'
import { revokeCredential } from '../../../../activities/store/agents/agent-credentials.ts'
import { lockAgent } from '../../../../activities/store/agents/agents.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient, type OutputOf } from '../../../../api/http/client.ts'
import { auditBooks } from '../../../support/books.ts'
import {
  artifactOf,
  creditOf as creditOfPayment,
  freeProof,
  freshPackage,
  missionOf,
  notedToday,
  payment as paymentOf,
  storePack,
  storePilot,
} from '../../../support/commerce.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf, patiently, problemOf } from '../../../support/problems.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
let agent: Agent
beforeAll(async () => {
  apis = await startMoneyApis(2)
  agent = await newAgent()
})
afterAll(() => apis?.stop())

const newAgent = () => apis.agent(['runs:read', 'runs:write', 'wallets:read', 'wallets:write'])
type Agent = Awaited<ReturnType<typeof newAgent>>
type Proof = OutputOf<'commerce-proof-evaluate'>
type Input = ReturnType<typeof freeProof>

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const evaluate = async (by: Pick<Agent, 'call'>, input: Input = freeProof()): Promise<Proof> =>
  (await by.call('commerce-proof-evaluate', input)).body
const reasonOf = ({ verification_packet }: Proof, check: (typeof commerceChecks)[number]) =>
  verification_packet.checks.find((one) => one.check === check)?.reason
const count = async (
  table: 'commerce_proofs' | 'postings' | 'payments' | 'payouts' | 'transfers',
) =>
  Number(
    (await apis.db.selectFrom(table).select(sql<string>`count(*)`.as('n')).executeTakeFirst())?.n,
  )

/** A payment of this agent that an operator confirms, unless said otherwise. */
const payment = (by: Agent, decision?: 'approve' | 'none') => paymentOf(apis, by, decision)
const delivery = (more: Partial<Input> = {}) =>
  freeProof({ mission: missionOf('pilot_delivery'), ...more })
/** The mission of a delivered pilot of this agent, whose run has the credit of a payment. */
const pilotMission = async (by: Agent, paid?: { payment_reference_id: string }) => {
  const credit = paid === undefined ? null : await creditOf(paid)
  return missionOf('pilot_delivery', { mission_id: await storePilot(apis.db, by, { credit }) })
}

type Step = { credit: string | null; finished?: boolean }
/** A work order of this agent with these steps, stored without the work that leads to it. */
async function workOrder({ agentId }: Agent, steps: readonly Step[]) {
  const work_order_id = `wo_${sha256(key())}`
  await transaction(apis.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`insert into work_orders (work_order_id, intake_kind, requested_tool_id, objective, requester, agent_id,
        acceptance_criteria, status_token_sha256, decision, decision_id)
      values (${work_order_id}, 'external_agent_request', 'packetops', 'Deliver.', '{}', ${agentId}, '[]', ${sha256(key())},
        'approve', ${`dec_${key()}`})`.execute(tx)
    for (const [at, { credit, finished = true }] of steps.entries()) {
      const [task_id, run_id] = [`task-${sha256(key())}`, `run_${sha256(key())}`]
      await sql`insert into tasks (task_id, state, sequence, head_hash, agent_id, rail, tier, usage, on_gaps, terms_sha256,
          input_sha256, review_decision, entitlement_id, run_id)
        values (${task_id}, 'operating', 1, ${sha256('head')}, ${agentId}, 'packetops', 'standard', 'operational', 'report',
          ${sha256('terms')}, ${sha256('input')}, 'approve', ${credit}, ${run_id})`.execute(tx)
      await sql`insert into runs (run_id, task_id, step, finished_at)
        values (${run_id}, ${task_id}, ${finished ? null : 'intake'}, ${finished ? new Date() : null})`.execute(
        tx,
      )
      await sql`insert into work_order_tasks values (${work_order_id}, ${at + 1}, ${task_id})`.execute(
        tx,
      )
    }
  })
  return work_order_id
}
const creditOf = (paid: { payment_reference_id: string }) => creditOfPayment(apis.db, paid)
const orderDelivery = (mission_id: string, more: Partial<Input> = {}) =>
  freeProof({ mission: missionOf('work_order_delivery', { mission_id }), ...more })

verifies(
  'commerce.contract',
  'the contract prints what the code applies, and counts proofs',
  async () => {
    const before = (await apis.open().call('commerce-proof-read', {})).body
    if (!('missions' in before)) throw new Error('the contract was expected')
    expect(before.schema).toMatchObject({
      $id: `${apis.config.BASE_URL}/schemas/commerce-proof.v1.json`,
      properties: { mission: { type: 'object' } },
    })
    expect(before.missions.map(({ kind }) => kind)).toEqual([
      'rail_run',
      'work_order_delivery',
      'agent_handoff',
      'pilot_delivery',
      'free_proof',
    ])
    expect(before.decisions).toEqual([
      'eligible_to_continue',
      'human_review_required',
      'payment_hold',
    ])
    expect(before.protocol_bindings.map(({ binding }) => binding)).toEqual([
      'mcp',
      'http',
      'a2a',
      'x402',
      'ap2',
    ])
    expect(before.safety_boundary).toMatchObject({ money_movement: false, body_bytes_max: 65_536 })
    await evaluate(agent)
    const after = (await apis.open().call('commerce-proof-read', {})).body
    expect('live' in after && after.live['eligible_to_continue']).toBe(
      (before.live['eligible_to_continue'] ?? 0) + 1,
    )
  },
)

verifies(
  ['commerce.signed', 'commerce.persisted'],
  'a sound package gets a decision that anyone can follow offline',
  async () => {
    const input = freeProof()
    const proof = await evaluate(agent, input)
    expect(proof).toMatchObject({
      decision: 'eligible_to_continue',
      reasons: [],
      agent: { agent_id: agent.agentId, credential_bound: true },
      usage: 'unspecified',
      persistence: { state: 'persisted', published: false, review_state: null },
      log_state: 'pending',
      money_movement: false,
    })
    const { receipt, passport, verification_packet: packet } = proof
    expect(receipt).toMatchObject({ kind: 'commerce', subject: proof.proof_id })
    expect(passport).toMatchObject({
      kind: 'passport',
      prev_receipt_id: receipt.receipt_id,
      claims: {
        passport_type: 'agent_commerce',
        agent_id: agent.agentId,
        decision: 'eligible_to_continue',
        commerce_receipt_id: `rc_${sha256(receipt.jws)}`,
      },
    })
    // Computed from the description alone.
    expect(receipt.payload['packet_sha256']).toBe(sha256(String(canonicalize(packet))))
    const { idempotency_key: _key, ...request } = input
    const { mission, return_package, ...others } = request
    const parsed = {
      ...others,
      mission: { ...mission, publication_consent: false },
      return_package,
    }
    expect(packet.request_sha256).toBe(sha256(String(canonicalize(parsed))))
    expect(packet.inputs.map(({ sha256: digest, recomputed }) => [digest, recomputed])).toEqual([
      [('artifacts' in return_package && return_package.artifacts[0]?.sha256) || '', true],
      [input.evidence?.[0]?.sha256, true],
    ])
    for (const jws of [receipt.jws, passport.jws]) {
      const { body } = await apis.open().call('verify-receipt', { receipt: jws })
      expect(body).toMatchObject({ verified: true, stored: true })
    }
    const found = await agent.clients[1]?.call('commerce-proof-read', { proof_id: proof.proof_id })
    expect(found?.body).toEqual({ ...proof, log_state: 'included' })
  },
)

verifies('commerce.hashes', 'forged digests are refused and leave nothing', async () => {
  const before = await count('commerce_proofs')
  const forged = 'a'.repeat(64)
  const content = 'The report.'
  const wrong: Partial<Input>[] = [
    { return_package: { artifacts: [{ ...artifactOf(content), sha256: forged }] } },
    { return_package: { artifacts: [{ ...artifactOf(content), bytes: 10 }] } },
    {
      return_package: {
        artifacts: [
          artifactOf(`${content} `),
          { ...artifactOf(content, 'b'), sha256: artifactOf('x').sha256 },
        ],
      },
    },
    { evidence: [{ ...notedToday('seen'), sha256: forged }] },
    { evidence: [{ id: 'r', sha256: forged, receipt_id: `rc_${'b'.repeat(64)}` }] },
  ]
  for (const more of wrong) {
    const problem = await problemOf(evaluate(agent, freeProof(more)))
    expect(problem).toMatchObject({ status: 422, code: 'evidence_mismatch', money_moved: 'no' })
  }
  expect(await count('commerce_proofs')).toBe(before)
  const { sha256: digest, name } = artifactOf('not given')
  const unseen = await evaluate(
    agent,
    freeProof({ return_package: { artifacts: [{ name, sha256: digest }] } }),
  )
  expect(unseen.decision).toBe('human_review_required')
  expect(reasonOf(unseen, 'hashes')).toBe('content_not_given')
})

verifies('commerce.claims', 'a changed claim or text changes the decision', async () => {
  const content = `Order ${key()}: 12 pallets arrived.`
  const proven = (claim: string, text = content) =>
    evaluate(
      agent,
      freeProof({
        return_package: {
          artifacts: [artifactOf(text)],
          claims: [{ claim, artifact: 'report.md' }],
        },
      }),
    )
  expect((await proven('12 pallets arrived')).decision).toBe('eligible_to_continue')
  const other = await proven('13 pallets arrived', `${content} `)
  expect(other.decision).toBe('human_review_required')
  expect(other.verification_packet.claims[0]).toMatchObject({ state: 'not_stated' })
  const forbidden = await proven('guaranteed', `${content} guaranteed`)
  expect(reasonOf(forbidden, 'claims')).toBeNull()
  expect(reasonOf(forbidden, 'policy')).toBe('claim_forbidden')
})

verifies('commerce.evidence', 'receipts have to be of this agent, and evidence fresh', async () => {
  const other = await newAgent()
  const receiptOf = async (by: Agent) => (await evaluate(by)).receipt.receipt_id
  const [own, foreign] = [await receiptOf(agent), await receiptOf(other)]
  const named = async (receipt_id: string) =>
    evaluate(agent, freeProof({ evidence: [{ id: 'r', sha256: receipt_id.slice(3), receipt_id }] }))
  expect((await named(own)).decision).toBe('eligible_to_continue')
  expect(reasonOf(await named(foreign), 'evidence_owner')).toBe('evidence_of_another')
  expect(reasonOf(await named(`rc_${'0'.repeat(64)}`), 'evidence_owner')).toBe('receipt_unknown')
  const dated = async (dated: string | undefined) => {
    const { dated: _today, ...undated } = notedToday('seen')
    const evidence = [dated === undefined ? undated : { ...undated, dated }]
    const proof = await evaluate(agent, freeProof({ evidence }))
    expect(proof.decision).toBe('human_review_required')
    return reasonOf(proof, 'evidence_age')
  }
  const days = (past: number) => new Date(Date.now() - past * 86_400_000).toISOString()
  expect(await dated(days(91))).toBe('evidence_stale')
  expect(await dated(days(-1))).toBe('evidence_from_future')
  expect(await dated(undefined)).toBe('evidence_undated')
})

verifies('commerce.payment', 'the ledger decides about a payment, never the caller', async () => {
  const other = await newAgent()
  const held = async (more: Partial<Input>) => {
    const proof = await evaluate(agent, delivery(more))
    expect(proof.decision).toBe('payment_hold')
    return reasonOf(proof, 'payment')
  }
  expect(await held({})).toBe('payment_absent')
  const pending = await payment(agent, 'none')
  expect(await held({ payment: pending })).toBe('payment_pending')
  const foreign = await payment(other)
  expect(await held({ payment: foreign })).toBe('payment_unknown')
  const unknown = { payment_reference_id: `pr_${'0'.repeat(64)}` }
  expect(await held({ payment: unknown })).toBe('payment_unknown')
  const paid = await payment(agent)
  expect(await held({ payment: { ...paid, amount_usd: paid.amount_usd + 1 } })).toBe(
    'amount_mismatch',
  )
  // The payment of a pilot is that of its run, also where it is not named.
  const mission = await pilotMission(agent, paid)
  const proof = await evaluate(agent, delivery({ mission }))
  expect(proof).toMatchObject({ decision: 'eligible_to_continue', usage: 'operational' })
  expect(proof.verification_packet.payment).toMatchObject({
    payment_reference_id: paid.payment_reference_id,
    state: 'verified',
    amount_usd: paid.amount_usd,
    settlement_receipt_id: expect.stringMatching(/^rc_/),
  })
  const named = await payment(agent)
  const bound = await evaluate(
    agent,
    delivery({
      mission: await pilotMission(agent, named),
      payment: named,
      protocol_binding: 'x402',
    }),
  )
  expect(bound.decision).toBe('human_review_required')
  expect(reasonOf(bound, 'protocol')).toBe('protocol_mismatch')
  // The same payment for another mission.
  expect(await held({ payment: paid })).toBe('payment_of_another_order')
  expect(await held({ mission: missionOf('work_order_delivery'), payment: paid })).toBe(
    'payment_of_another_order',
  )
  const open = await evaluate(apis.open(), delivery({ payment: paid }))
  expect(reasonOf(open, 'payment')).toBe('payment_unknown')
})

verifies('commerce.payment', 'a work order is paid and finished in each of its steps', async () => {
  const [one, two, open] = [
    await payment(agent),
    await payment(agent),
    await payment(agent, 'none'),
  ]
  const [first, second, unpaid] = [await creditOf(one), await creditOf(two), await creditOf(open)]
  const partly = [
    { steps: [first, null], reason: 'payment_absent' },
    { steps: [first, `en_${'0'.repeat(64)}`], reason: 'payment_absent' },
    { steps: [first, unpaid], reason: 'payment_pending' },
  ]
  for (const { steps, reason } of partly) {
    const id = await workOrder(
      agent,
      steps.map((credit) => ({ credit })),
    )
    const proof = await evaluate(agent, orderDelivery(id))
    expect(proof.decision).toBe('payment_hold')
    expect(reasonOf(proof, 'payment')).toBe(reason)
    const named = await evaluate(agent, orderDelivery(id, { payment: one }))
    expect(reasonOf(named, 'payment')).toBe('payment_absent')
  }
  const running = await workOrder(agent, [{ credit: first }, { credit: second, finished: false }])
  const early = await evaluate(agent, orderDelivery(running))
  expect(reasonOf(early, 'payment')).toBeNull()
  expect(reasonOf(early, 'required_items')).toBe('items_missing')
  const [three, four] = [await payment(agent), await payment(agent)]
  const whole = await workOrder(agent, [
    { credit: await creditOf(three) },
    { credit: await creditOf(four) },
  ])
  expect((await evaluate(agent, orderDelivery(whole))).decision).toBe('eligible_to_continue')
})

verifies('commerce.payment', 'the payment of an order carries no other mission', async () => {
  const [one, two] = [await payment(agent), await payment(agent)]
  const steps = [{ credit: await creditOf(one) }, { credit: await creditOf(two) }]
  // The second step's payment carried another mission before it paid for the order.
  const delivered = await evaluate(agent, freeProof({ payment: two }))
  expect(delivered.decision).toBe('eligible_to_continue')
  const used = await evaluate(agent, orderDelivery(await workOrder(agent, steps)))
  expect(reasonOf(used, 'payment')).toBe('payment_of_another_order')
  const fresh = await payment(agent)
  const credit = await creditOf(fresh)
  const id = await workOrder(agent, [{ credit }])
  expect((await evaluate(agent, orderDelivery(id))).decision).toBe('eligible_to_continue')
  const objective = 'Deliver it once more.'
  const again = orderDelivery(id, {
    mission: missionOf('work_order_delivery', { mission_id: id, objective }),
  })
  expect(reasonOf(await evaluate(agent, again), 'payment')).toBe('payment_of_another_order')
  // Credit of several units is for the runs of other orders too.
  const other = await evaluate(agent, orderDelivery(await workOrder(agent, [{ credit }])))
  expect(reasonOf(other, 'payment')).toBeNull()
})

verifies('commerce.records', 'a handoff rests on a pack with a wallet of its agent', async () => {
  const [agent, other] = [await newAgent(), await newAgent()]
  const by = (mission_id: string, whose = agent) =>
    evaluate(whose, freeProof({ mission: missionOf('agent_handoff', { mission_id }) }))
  const foreign = await storePack(apis.db, other)
  const unbound = await storePack(apis.db, agent, { isBound: false })
  for (const id of [`m-${key()}`, `hp_${'0'.repeat(64)}`, foreign, unbound]) {
    const proof = await by(id)
    expect(proof).toMatchObject({ decision: 'human_review_required', usage: 'unspecified' })
    expect(reasonOf(proof, 'required_items')).toBe('handoff_pack_unknown')
  }
  const packed = await by(foreign, other)
  expect(packed).toMatchObject({ decision: 'eligible_to_continue', usage: 'unspecified' })
  const again = await by(foreign, other)
  expect(reasonOf(again, 'duplicates')).toBe('duplicate_mission')
  const synthetic = await by(await storePack(apis.db, agent, { usage: 'synthetic' }))
  expect(synthetic.usage).toBe('synthetic')
})

verifies('commerce.records', 'a delivery rests on a delivered pilot of its agent', async () => {
  const [agent, other] = [await newAgent(), await newAgent()]
  const paid = await payment(agent)
  const credit = await creditOf(paid)
  const running = await storePilot(apis.db, agent, { credit, state: 'running' })
  const foreign = await storePilot(apis.db, other, { credit })
  for (const mission_id of [`m-${key()}`, running, foreign]) {
    const mission = missionOf('pilot_delivery', { mission_id })
    const proof = await evaluate(agent, delivery({ mission }))
    expect(reasonOf(proof, 'required_items')).toBe('delivered_pilot_unknown')
    expect(proof.usage).toBe('unspecified')
  }
  const mission = await pilotMission(agent, paid)
  const named = await evaluate(agent, delivery({ mission, payment: paid }))
  expect(named.decision).toBe('eligible_to_continue')
  // Its run was started over MCP.
  for (const protocol_binding of ['http', 'a2a'] as const) {
    const other = await evaluate(agent, delivery({ mission, protocol_binding }))
    expect(reasonOf(other, 'protocol')).toBe('protocol_mismatch')
  }
  const started = await evaluate(agent, delivery({ mission, protocol_binding: 'mcp' }))
  expect(reasonOf(started, 'protocol')).toBeNull()
  expect(started.receipt.payload['protocol_binding']).toBe('mcp')
  const run = { return_package_id: `rp_${'0'.repeat(64)}` }
  const crossed = await evaluate(agent, delivery({ mission, return_package: run }))
  expect(reasonOf(crossed, 'required_items')).toBe('items_missing')
})

verifies('commerce.duplicates', 'a package is proven once, also in parallel', async () => {
  const return_package = freshPackage()
  const proofs = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      patiently(() => evaluate(agent.clients[at % 2] ?? agent, freeProof({ return_package }))),
    ),
  )
  const eligible = proofs.filter(({ decision }) => decision === 'eligible_to_continue')
  expect(eligible).toHaveLength(1)
  for (const proof of proofs.filter((one) => one !== eligible[0])) {
    expect(proof.decision).toBe('human_review_required')
    expect(reasonOf(proof, 'duplicates')).toBe('duplicate_package')
  }
  const parts = return_package.artifacts
  const artifacts = [...parts, ...parts.map((part) => ({ ...part, name: 'copy.md' }))]
  const twice = await evaluate(agent, freeProof({ return_package: { artifacts } }))
  expect(reasonOf(twice, 'duplicates')).toBe('duplicate_package')
  const other = await newAgent()
  const taken = await evaluate(other, freeProof({ return_package }))
  expect(reasonOf(taken, 'duplicates')).toBe('duplicate_package')
  expect(JSON.stringify(taken)).not.toContain(eligible[0]?.proof_id)
})

verifies('commerce.duplicates', 'a held mission is decided again once it is paid', async () => {
  const paid = await payment(agent, 'none')
  const [mission, return_package] = [await pilotMission(agent, paid), freshPackage()]
  const first = await evaluate(agent, delivery({ mission, return_package }))
  expect(first.decision).toBe('payment_hold')
  await apis.decide(paid.payment_reference_id, 'approve')
  const second = await evaluate(agent, delivery({ mission, return_package, payment: paid }))
  expect(second.decision).toBe('eligible_to_continue')
  const third = await evaluate(agent, delivery({ mission, return_package, payment: paid }))
  expect(reasonOf(third, 'duplicates')).toBe('duplicate_package')
  // A stranger without a credential takes nothing from an agent.
  const unclaimed = freshPackage()
  await evaluate(apis.open(), freeProof({ return_package: unclaimed }))
  const own = await evaluate(agent, freeProof({ return_package: unclaimed }))
  expect(own.decision).toBe('eligible_to_continue')
})

verifies(
  'commerce.duplicates',
  'a repeat says whether an agent or no agent was first',
  async () => {
    const detailOf = async (by: Pick<Agent, 'call'>, return_package: Input['return_package']) =>
      (await evaluate(by, freeProof({ return_package }))).reasons[0]?.detail
    const [open, named] = [freshPackage(), freshPackage()]
    expect(await detailOf(apis.open(), open)).toBeUndefined()
    expect(await detailOf(apis.open(), open)).toContain('a caller without an access key')
    expect(await detailOf(await newAgent(), named)).toBeUndefined()
    expect(await detailOf(apis.open(), named)).toContain('another agent')
  },
)

verifies('commerce.wallet', 'a wallet is the one that the account bound', async () => {
  const by = await newAgent()
  await storePack(apis.db, by)
  const { rows } = await sql<{ wallet: string }>`select wallet from account_wallets
    join agents using (account_id) where agent_id = ${by.agentId}`.execute(apis.db)
  const wallet = rows[0]?.wallet ?? ''
  const as = (of: Pick<Agent, 'call'>, named: string) =>
    evaluate(of, freeProof({ agent: { name: 'Reader', wallet: named } }))
  expect((await as(by, wallet)).decision).toBe('eligible_to_continue')
  for (const proof of [await as(by, `0x${'1'.repeat(40)}`), await as(apis.open(), wallet)]) {
    expect(proof.decision).toBe('human_review_required')
    expect(reasonOf(proof, 'authority')).toBe('wallet_unverified')
  }
})

verifies('commerce.duplicates', 'a stranger takes no package by its digest alone', async () => {
  const return_package = freshPackage()
  const digests = {
    artifacts: return_package.artifacts.map(({ name, sha256: digest }) => ({
      name,
      sha256: digest,
    })),
  }
  await evaluate(await newAgent(), freeProof({ return_package: digests }))
  const sandbox = await trustedAgent(apis.hosts[0]!, apis.operator, { sandbox: true })
  const baseUrl = apis.hosts[0]?.base ?? ''
  await evaluate(
    createClient({ baseUrl, agent: sandbox.credential }),
    freeProof({ return_package }),
  )
  const proof = await evaluate(agent, freeProof({ return_package }))
  expect(proof.decision).toBe('eligible_to_continue')
})

verifies('commerce.identity', 'only its access key makes an agent', async () => {
  const other = await newAgent()
  const as = (agent_id: string) => freeProof({ agent: { agent_id } })
  expect(await codeOf(evaluate(apis.open(), as(agent.agentId)))).toBe('credential_required')
  expect(await codeOf(evaluate(other, as(agent.agentId)))).toBe('not_owner')
  expect((await evaluate(agent, as(agent.agentId))).agent.agent_id).toBe(agent.agentId)
  const stranger = await evaluate(apis.open(), freeProof({ mission: missionOf('agent_handoff') }))
  expect(stranger).toMatchObject({
    decision: 'human_review_required',
    agent: { agent_id: null, credential_bound: false },
    usage: 'unspecified',
    persistence: { review_state: null },
  })
  expect(reasonOf(stranger, 'authority')).toBe('no_credential')
})

verifies('commerce.identity', 'a key that is revoked meanwhile proves nothing', async () => {
  const other = await newAgent()
  const [, credentialId = ''] = /^ag_([0-9a-f]{16})/.exec(other.credential) ?? []
  const before = await count('commerce_proofs')
  const waiting = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(apis.db)
    return rows.length
  }
  const { code } = await transaction(apis.db, async (tx) => {
    await lockAgent(tx, other.agentId)
    const refused = codeOf(evaluate(other))
    await expect.poll(waiting).toBe(1)
    await revokeCredential(tx, credentialId)
    return { code: refused }
  })
  expect(await code).toBe('credential_invalid')
  expect(await count('commerce_proofs')).toBe(before)
})

verifies('commerce.idempotent', 'a hundred parallel proofs with one key are one', async () => {
  const before = await count('commerce_proofs')
  const input = freeProof()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) =>
      patiently(() => evaluate(agent.clients[at % 2] ?? agent, input)),
    ),
  )
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(await count('commerce_proofs')).toBe(before + 1)
  const changed = { ...input, agent: { name: 'Another' } }
  expect(await codeOf(evaluate(agent, changed))).toBe('idempotency_conflict')
  expect(await count('commerce_proofs')).toBe(before + 1)
})

verifies('commerce.secrets', 'secrets in any text are refused and stored nowhere', async () => {
  const secret = `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n-----END PRIVATE KEY-----`
  const before = await count('commerce_proofs')
  const inputs: Partial<Input>[] = [
    { mission: missionOf('agent_handoff', { objective: secret }) },
    { agent: { name: 'password=hunter2 hunter2' } },
    { return_package: { artifacts: [artifactOf(secret)] } },
    { return_package: { ...freshPackage(), claims: [{ claim: secret, artifact: 'report.md' }] } },
    { evidence: [notedToday(secret)] },
  ]
  for (const more of inputs)
    expect(await codeOf(evaluate(agent, freeProof(more)))).toBe('forbidden_material')
  expect(await count('commerce_proofs')).toBe(before)
  expect(apis.logged()).not.toContain('PRIVATE KEY')
})

verifies('commerce.bounded', 'bodies over 64 KiB are refused', async () => {
  const content = 'x '.repeat(11_000)
  const artifacts = [1, 2, 3].map((at) => artifactOf(`${content}${at}`, `part-${at}`))
  const large = freeProof({ return_package: { artifacts } })
  expect(await codeOf(evaluate(apis.open(), large))).toBe('payload_too_large')
  expect(await codeOf(evaluate(agent, large))).toBe('payload_too_large')
})

verifies('commerce.persisted', 'others see a proof only when it has no agent', async () => {
  const own = await evaluate(agent)
  const other = await newAgent()
  const read = (by: Pick<Agent, 'call'>, proof_id: string) =>
    by.call('commerce-proof-read', { proof_id })
  for (const by of [other, apis.open()])
    expect(await codeOf(read(by, own.proof_id))).toBe('not_found')
  const free = await evaluate(
    apis.open(),
    freeProof({ mission: missionOf('free_proof'), evidence: [] }),
  )
  expect(free.decision).toBe('eligible_to_continue')
  const { body } = await read(apis.open(1), free.proof_id)
  expect(body).toMatchObject({ proof_id: free.proof_id, receipt: free.receipt })
  expect(JSON.stringify(body)).not.toMatch(/Ledger reader|Deliver the report|412\.80/)
})

verifies('commerce.moves-no-money', 'proofs leave the books as they were', async () => {
  const paid = await payment(agent)
  const tables = ['postings', 'payments', 'payouts', 'transfers'] as const
  const before = await Promise.all(tables.map(count))
  const proofs = await Promise.all(
    Array.from({ length: 10 }, () => evaluate(agent, delivery({ payment: paid }))),
  )
  expect(await Promise.all(tables.map(count))).toEqual(before)
  // One payment is for one mission, also in parallel.
  expect(proofs.filter(({ decision }) => decision !== 'payment_hold')).toHaveLength(1)
  for (const { money_movement, receipt, passport } of proofs) {
    expect(money_movement).toBe(false)
    for (const { receipt_id } of [receipt, passport]) {
      const posted = sql`insert into postings (account, units, receipt_id)
        select account, units, ${receipt_id} from postings limit 1`.execute(apis.db)
      await expect(posted).rejects.toThrow('a proof moves no money')
    }
  }
  await auditBooks(apis.db)
})

verifies('commerce.guarded', 'SQL keeps proofs as they were written', async () => {
  const { proof_id } = await evaluate(agent)
  const free = await evaluate(apis.open(), freeProof())
  const consents = (id: string, seq: number, consent: boolean) =>
    sql`insert into commerce_consents values (${id}, ${seq}, ${consent}, ${free.receipt.receipt_id}, now())`
  const refused = [
    sql`delete from commerce_proofs where proof_id = ${proof_id}`,
    sql`update commerce_proofs set decision = 'payment_hold' where proof_id = ${proof_id}`,
    sql`update commerce_proofs set review_state = 'approved', review_decision_id = 'dec_1', reviewed_at = now()
      where proof_id = ${proof_id}`,
    consents(free.proof_id, 1, true),
    consents(proof_id, 1, false),
    consents(proof_id, 2, true),
  ]
  for (const statement of refused)
    await expect(statement.execute(apis.db)).rejects.toMatchObject({ code: '23514' })
})

verifies('commerce.evidence', 'a mandate has to be in force and of this agent', async () => {
  const agent_id = agent.agentId
  const action = {
    principal_id: 'acme',
    agent_id,
    purpose: 'Deliver.',
    allowed_operations: ['usage-ledger-record'],
    rails: ['packetops' as const],
    resources: [],
    limits: { per_action_usd: 1, total_usd: 10, actions_max: 5 },
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    idempotency_key: key(),
  }
  const operator = createClient({ baseUrl: apis.hosts[0]?.base ?? '', operator: apis.operator })
  const { body } = await operator.call('issue-mandate', { mode: 'issue_mandate', action })
  const mandate_id = 'mandate_id' in body ? body.mandate_id : ''
  const under = (by: Agent) => evaluate(by, freeProof({ authority: { mandate_id } }))
  expect((await under(agent)).decision).toBe('eligible_to_continue')
  expect(reasonOf(await under(await newAgent()), 'authority')).toBe('mandate_unknown')
  const revoke = { mode: 'revoke_mandate', action: { mandate_id, reason: 'over' } } as const
  await operator.call('revoke-mandate', revoke)
  expect(reasonOf(await under(agent), 'authority')).toBe('mandate_revoked')
})

verifies('commerce.review', 'at most 25 proofs of an agent wait for a person', async () => {
  const busy = await newAgent()
  const claimed = { return_package: { artifacts: [{ name: 'a', sha256: 'b'.repeat(64) }] } }
  for (let at = 0; at < 23; at++)
    expect((await evaluate(busy, freeProof(claimed))).persistence.review_state).toBe('waiting')
  // Proofs of several packages at once are counted one after the other.
  const atOnce = await Promise.all(
    Array.from({ length: 6 }, (_, at) => {
      const artifacts = [{ name: 'a', sha256: sha256(key()) }]
      const input = freeProof({ return_package: { artifacts } })
      return codeOf(evaluate(busy.clients[at % 2] ?? busy, input)).then(
        (code) => code === 'rate_limited',
        () => false,
      )
    }),
  )
  expect(atOnce.filter((isLimited) => !isLimited)).toHaveLength(2)
  const before = await count('commerce_proofs')
  expect(await problemOf(evaluate(busy, freeProof(claimed)))).toMatchObject({
    status: 429,
    code: 'rate_limited',
    money_moved: 'no',
  })
  expect(await count('commerce_proofs')).toBe(before)
  expect((await evaluate(busy)).decision).toBe('eligible_to_continue')
})

verifies('commerce.payment', 'a payment that the chain does not confirm holds', async () => {
  const paid = await payment(agent)
  // As a payment on a chain that answers no more.
  await sql`alter table payment_references disable trigger all`.execute(apis.db)
  await sql`update payment_references set method = 'stablecoin_reference', external_reference = ${`0x${'e'.repeat(64)}`}
    where payment_reference_id = ${paid.payment_reference_id}`.execute(apis.db)
  const held = await evaluate(agent, delivery({ payment: paid }))
  expect(held.decision).toBe('payment_hold')
  expect(reasonOf(held, 'payment')).toBe('payment_unconfirmed')
  await sql`update payment_references set state = 'disputed'
    where payment_reference_id = ${paid.payment_reference_id}`.execute(apis.db)
  const disputed = await evaluate(agent, delivery({ payment: paid }))
  expect(reasonOf(disputed, 'payment')).toBe('payment_disputed')
})
