import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { createClient, ProblemError } from '../../../../api/http/client.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { decide, evidenceRoot, newAgentClient } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
let hosts: { base: string; os: string }
beforeAll(async () => {
  apis = await startComposed({ apis: 2 })
  hosts = apis.hosts[0]!
})
afterAll(async () => {
  await apis?.stop()
})

const operator = () => createClient({ baseUrl: hosts.base, operator: apis.operator })
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ProblemError ? error.code : String(error)),
  )

verifies(
  'review.console',
  'the console lists by longest wait, page, state and rail, also compact',
  async () => {
    const names = ['first', 'second', 'third']
    const ids: string[] = []
    for (const name of names)
      ids.push(
        (await newAgentClient(hosts).register({ name, rails: ['energyops'] })).agent.agent_id,
      )
    await newAgentClient(hosts).register({ rails: ['scout'] })
    const list = async (query: Record<string, string>) =>
      (await operator().call('loop-review-console', query)).body
    const all = await list({ rail: 'energyops' })
    expect(all).toMatchObject({ total: 3, counts: { agent: 3 }, offset: 0, limit: 25 })
    expect(all.items.map(({ subject_id }) => subject_id)).toEqual(ids)
    expect(all.items[0]).toMatchObject({
      subject_kind: 'agent',
      state: 'submitted',
      rail: 'energyops',
      summary: expect.stringContaining('first'),
      allowed_decisions: ['approve', 'reject', 'hold'],
    })
    const [link] = (all.items[0] as { evidence_links: string[] }).evidence_links
    expect(
      await (await fetch(String(link).replace(apis.config.BASE_URL, hosts.base))).json(),
    ).toMatchObject({
      verified: true,
      kind: 'onboarding',
    })
    const page = await list({ rail: 'energyops', offset: '1', limit: '1', compact: 'true' })
    expect(page).toMatchObject({ total: 3, items: [{ subject_id: ids[1] }] })
    expect(Object.keys(page.items[0]!)).toEqual([
      'subject_kind',
      'subject_id',
      'state',
      'waiting_since',
    ])
    await decide(hosts, apis.operator, ids[0]!, 'hold')
    expect((await list({ rail: 'energyops', needs_attention: 'true' })).total).toBe(2)
    expect((await list({ rail: 'energyops', state: 'under_review' })).items).toMatchObject([
      { subject_id: ids[0] },
    ])
    expect((await list({ kind: 'task' })).items).toEqual([])
    expect((await list({ state: 'no_such_state' })).items).toEqual([])
  },
)

verifies(
  'review.record',
  'a decision changes its subject and leaves a row and a receipt',
  async () => {
    const { agent, status_token } = await newAgentClient(hosts).register()
    const digest = await evidenceRoot(operator(), agent.agent_id)
    const key = {
      idempotency_key: 'approve-1',
      note: 'we know them',
      evidence_seen_sha256: [digest],
    }
    const answers = await Promise.all(
      [0, 1, 0, 1].map((api) =>
        decide(apis.hosts[api]!, apis.operator, agent.agent_id, 'approve', key),
      ),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    const [{ receipt, review_decision }] = answers as [(typeof answers)[0]]
    const keys = (await (
      await fetch(`${hosts.base}/.well-known/jwks.json`)
    ).json()) as JSONWebKeySet
    const { payload } = await jwtVerify(receipt.jws, createLocalJWKSet(keys), {
      typ: 'receipt+jwt',
      algorithms: ['EdDSA'],
    })
    expect(payload).toMatchObject({
      kind: 'review_decision',
      sub: review_decision.decision_id,
      subject_id: agent.agent_id,
      decision: 'approve',
      note: 'we know them',
      operator_name: 'Ada',
      evidence_seen_sha256: [digest],
      state: 'trusted',
    })
    const rows = await apis.db
      .selectFrom('review_decisions')
      .selectAll()
      .where('subject_id', '=', agent.agent_id)
      .execute()
    expect(rows).toMatchObject([
      { decision: 'approve', operator_name: 'Ada', receipt_id: receipt.receipt_id },
    ])
    expect(status_token).toMatch(/^st_/)
  },
)

verifies(
  'review.record',
  'of concurrent decisions one counts, and a stale one is refused',
  async () => {
    const { agent } = await newAgentClient(hosts).register()
    const { items } = (await operator().call('loop-review-console', { limit: '100' })).body
    const waiting_since = items.find(
      ({ subject_id }) => subject_id === agent.agent_id,
    )!.waiting_since
    const decisions = await Promise.all(
      ['approve', 'hold', 'reject', 'approve'].map((decision, index) =>
        codeOf(
          decide(apis.hosts[index % 2]!, apis.operator, agent.agent_id, decision as 'approve', {
            waiting_since,
          }),
        ),
      ),
    )
    expect(decisions.sort()).toEqual([
      'already_decided',
      'already_decided',
      'already_decided',
      'ok',
    ])
  },
)

verifies(
  'review.record',
  'what does not follow from the state is refused, and changes nothing',
  async () => {
    const { agent } = await newAgentClient(hosts).register()
    expect(await codeOf(decide(hosts, apis.operator, agent.agent_id, 'revise'))).toBe('wrong_state')
    expect(await codeOf(decide(hosts, apis.operator, `agt_${'0'.repeat(64)}`, 'approve'))).toBe(
      'not_found',
    )
    expect(
      await codeOf(
        decide(hosts, apis.operator, agent.agent_id, 'approve', {
          subject_kind: 'wallet' as 'agent',
        }),
      ),
    ).toBe('invalid_request')
    expect(
      await codeOf(
        decide(hosts, apis.operator, agent.agent_id, 'approve', { limits: { rails: ['scout'] } }),
      ),
    ).toBe('invalid_request')
    expect(
      await codeOf(
        decide(
          hosts,
          apis.operator.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
          agent.agent_id,
          'approve',
        ),
      ),
    ).toBe('credential_invalid')
    await decide(hosts, apis.operator, agent.agent_id, 'reject')
    expect(await codeOf(decide(hosts, apis.operator, agent.agent_id, 'approve'))).toBe(
      'wrong_state',
    )
    expect(
      await apis.db
        .selectFrom('review_decisions')
        .select('decision')
        .where('subject_id', '=', agent.agent_id)
        .execute(),
    ).toEqual([{ decision: 'reject' }])
    expect(
      await apis.db
        .selectFrom('agent_credentials')
        .select('state')
        .where('agent_id', '=', agent.agent_id)
        .execute(),
    ).toEqual([])
  },
)
