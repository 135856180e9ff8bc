import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { countAudits } from '../../../../activities/store/agents/agent-credentials.ts'
import {
  countPublished,
  listPublished,
} from '../../../../activities/store/agents/agent-profiles.ts'
import { countTrustStates } from '../../../../activities/store/agents/agents.ts'
import { countPilots } from '../../../../activities/store/pilots/pilots.ts'
import { type Tx, transaction } from '../../../../activities/store/postgres/db.ts'
import { COUNTED_MAX } from '../../../../activities/store/postgres/rows.ts'
import { listProductionRuns } from '../../../../activities/store/production/customer-runs.ts'
import { countProductionWrites } from '../../../../activities/store/production/production-writes.ts'
import { readSprint } from '../../../../activities/store/prospects/prospects.ts'
import { countRunsOf } from '../../../../activities/store/runs/agent-runs.ts'
import { listOpenOrders } from '../../../../activities/store/work-orders/exchange.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ sequences: false })
})
afterAll(() => apis?.stop())

const many = [
  `insert into credential_audits (audit_event_id, operation_id, decision, reasons)
    select 'aud_' || lpad(n::text, 64, '0'), 'sign', 'deny', '["scope_denied"]' from generate_series(1, 1100) n`,
  `insert into production_writes (audit_event_id, kind, operation_id, rail, subject, checks, passed, receipt_id)
    select 'aud_' || lpad(n::text, 64, '0'), 'validated', 'start-agent-run', 'packetops', 's', '[]', n = 1, 'r'
    from generate_series(1, 1101) n`,
]

verifies('admission.counts-bounded', 'many records are counted up to 1,000', async () => {
  const counted = transaction(apis.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    for (const rows of many) await sql.raw(rows).execute(tx)
    expect(await countAudits(tx)).toEqual({ allow: 0, deny: COUNTED_MAX })
    const of = (await countProductionWrites(tx, ['start-agent-run', 'sign'])).get('start-agent-run')
    expect(of).toEqual({ written: 0, validated: 1, refused: COUNTED_MAX })
    throw new Error('undone')
  })
  await expect(counted).rejects.toThrow('undone')
  expect(await countAudits(apis.db)).toEqual({ allow: 0, deny: 0 })
  expect(await countTrustStates(apis.db)).toEqual({})
})

verifies('admission.counts-bounded', 'the lists of all runs total at most 1,000', async () => {
  const listed = transaction(apis.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`insert into tasks (task_id, state, sequence, head_hash, rail, tier, usage, on_gaps, terms_sha256)
      select 'task-' || lpad(n::text, 64, '0'), case when n <= 100 then 'quoted' else 'created' end, 1, repeat('a', 64),
        'packetops', 'entry', 'operational', 'ask', repeat('b', 64) from generate_series(1, 1101) n`.execute(
      tx,
    )
    await sql`insert into production_writes (audit_event_id, kind, operation_id, rail, agent_id, credential_id, subject, checks, passed, customer_account)
      select 'aud_' || right(task_id, 64), 'written', 'o', rail, 'a', 'c', task_id, '[]', true, 'northwind' from tasks`.execute(
      tx,
    )
    const totals = await countRunsOf(tx, {})
    expect(Object.values(totals).reduce((sum, count) => sum + count, 0)).toBe(COUNTED_MAX)
    expect(await countRunsOf(tx, { state: 'quoted' })).toEqual({ quoted: 100 })
    const all = { agentId: undefined, customerAccount: undefined, taskId: undefined }
    const { rows, total } = await listProductionRuns(tx, all, { offset: 1_100, limit: 25 })
    expect([rows.length, total]).toEqual([1, COUNTED_MAX])
    throw new Error('undone')
  })
  await expect(listed).rejects.toThrow('undone')
})

const numbered = (n: string, prefix: string) => `'${prefix}' || lpad(${n}::text, 64, '0')`
const sold = [
  `insert into prospects (prospect_id, label, channel, agent_id, state)
    select ${numbered('n', 'ps_')}, 'l', 'email', 'agt_' || n, 'qualified' from generate_series(1, 1101) n`,
  `insert into prospect_events (prospect_id, seq, event, state, message_sha256, sent_at, channel, operator)
    select prospect_id, 1, 'message_sent', 'messaged', right(prospect_id, 64), now(), 'email', 'o' from prospects`,
  `insert into prospect_events (prospect_id, seq, event, state, cites, operator)
    select prospect_id, 2, 'moved', 'qualified', 'c', 'o' from prospects`,
  `insert into payment_references (payment_reference_id, agent_id, method, external_reference, amount_usd, challenge_id,
      entitlement_id, state, settlement_receipt_id, decided_by)
    values (${numbered('1', 'pr_')}, 'agt_1', 'invoice_reference', 'i', 1, 'c', 'ent', 'verified', 'r', 'o')`,
  `insert into tasks (task_id, state, sequence, head_hash, rail, tier, usage, on_gaps, terms_sha256, agent_id, entitlement_id)
    select ${numbered('n', 'task-')}, 'created', 1, repeat('a', 64), 'packetops', 'entry', 'operational', 'ask',
      repeat('b', 64), 'agt_' || (1101 - n % 7), 'ent' from generate_series(1, 1101) n`,
  `insert into task_events (task_id, sequence, event_id, event, from_state, to_state, actor, data, data_sha256, at, prev_hash, hash)
    select task_id, 1, 'e', 'receipts_issued', 'attested', 'receipt_issued', 'service', '{}', d, t, p, encode(sha256(convert_to(
      '{"actor":"service","at":"' || to_char(t at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data_sha256":"' || d
      || '","event":"receipts_issued","from_state":"attested","prev_hash":"' || p || '","sequence":1,"to_state":"receipt_issued"}',
      'UTF8')), 'hex') from tasks, (select encode(sha256('{}'), 'hex') d, repeat('c', 64) p,
      date_trunc('milliseconds', clock_timestamp()) + interval '1 second' t) x`,
  `insert into pilots (pilot_id, source, rail, tier, total_usd, client, objective, status_token_sha256, state)
    select ${numbered('n', 'pl_')}, 'intake', 'packetops', 'entry', 0, '{}', 'o', lpad(n::text, 64, '0'), 'requested'
    from generate_series(1, 1101) n`,
]

verifies('admission.counts-bounded', 'the sprint and open pilots count up to 1,000', async () => {
  const { db } = apis
  const planned = async (tx: Tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    for (const rows of sold) await sql.raw(rows).execute(tx)
    const { actual } = await readSprint(tx)
    expect(actual).toEqual({
      messages_sent: COUNTED_MAX,
      qualified_conversations: COUNTED_MAX,
      paid_runs: COUNTED_MAX,
    })
    expect(await countPilots(tx, ['requested', 'running'])).toEqual({
      requested: COUNTED_MAX,
      running: 0,
    })
    throw new Error('undone')
  }
  await expect(transaction(db, planned)).rejects.toThrow('undone')
  expect((await readSprint(db)).actual.messages_sent).toBe(0)
  expect(await countPilots(db, ['requested'])).toEqual({ requested: 0 })
})

/** One more than a search looks at; the oldest and the one after it are of energyops. */
const searched = [
  `insert into work_orders (work_order_id, intake_kind, requested_tool_id, objective, requester, acceptance_criteria,
      status_token_sha256, decision, decision_id, exchange_until, reward_note, created_at)
    select ${numbered('n', 'wo_')}, 'external_agent_request', 'x', 'o', '{}', '[]', lpad(n::text, 64, '0'), 'approve', 'd',
      now() + interval '1 day', 'r', now() - n * interval '1 second' from generate_series(1, 10001) n`,
  `insert into tasks (task_id, state, sequence, head_hash, rail, tier, usage, on_gaps, terms_sha256, review_decision)
    select ${numbered('n', 'task-')}, 'credit_funded', 1, repeat('a', 64), case when n >= 10000 then 'energyops' else 'packetops' end,
      'entry', 'operational', 'ask', repeat('b', 64), 'approve' from generate_series(1, 10001) n`,
  `insert into work_order_tasks (work_order_id, step, task_id)
    select ${numbered('n', 'wo_')}, 1, ${numbered('n', 'task-')} from generate_series(1, 10001) n`,
  `insert into agents (agent_id, account_id, name, contact, capabilities, rails, protocols, requested_scopes, public_key, key_sha256,
      sandbox, status_token_sha256, trust_state, publish_profile, created_at)
    select ${numbered('n', 'agt_')}, ${numbered('n', 'acct_')}, 'n', '{}', '[]', '[]', '[]', '[]', '{}', lpad(n::text, 64, '0'),
      false, lpad(n::text, 64, '0'), 'trusted', true, now() - n * interval '1 second' from generate_series(1, 10001) n`,
  `insert into agent_profiles (agent_id, name, description, capabilities, rails, receipt_id)
    select ${numbered('n', 'agt_')}, 'n', case when n >= 10000 then 'rare' else 'd' end, '[]', '[]', 'r' from generate_series(1, 10001) n`,
]

verifies('admission.searches-bounded', 'a search looks at the newest 10,000 alone', async () => {
  const looked = transaction(apis.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    for (const rows of searched) await sql.raw(rows).execute(tx)
    const page = { offset: 0, limit: 25 }
    const orders = await listOpenOrders(tx, 'energyops', page)
    expect(orders.rows.map(({ work_order_id }) => Number(work_order_id.slice(3)))).toEqual([10_000])
    expect(orders.total).toBe(1)
    const [newest] = (await listOpenOrders(tx, undefined, page)).rows
    expect(newest?.work_order_id).toMatch(/^wo_0*1$/)
    const rare = { query: 'RARE' }
    const agents = await listPublished(tx, rare, page)
    expect(agents.map(({ agent_id }) => Number(agent_id.slice(4)))).toEqual([10_000])
    expect(await countPublished(tx, rare)).toBe(1)
    const [first] = await listPublished(tx, {}, page)
    expect(first?.agent_id).toMatch(/^agt_0*1$/)
    throw new Error('undone')
  })
  await expect(looked).rejects.toThrow('undone')
})

const reads: Readonly<Record<string, string>> = {
  credential_audits_decision: `select from credential_audits where decision = 'deny' limit 1000`,
  production_writes_operation: `select from production_writes where operation_id = 'o'
    and kind = 'validated' and not passed limit 1000`,
  payment_challenges_bound: `select from payment_challenges where state = 'open'
    and entitlement_id is not null limit 1000`,
  tasks_newest: `select state from tasks order by created_at desc, task_id limit 1000`,
  entitlements_of_wallets: `select entitlement_id from entitlements where source like 'wallet:%'
    order by created_at desc limit 1000`,
  commerce_proofs_newest: `select * from commerce_proofs order by evaluated_at desc limit 1000`,
  commerce_consents_newest: `select proof_id from commerce_consents where consents
    order by given_at desc limit 25`,
  authority_mandates_live: `select * from authority_mandates where revoked_at is null
    and expires_at > statement_timestamp() order by expires_at limit 1000`,
  authority_mandates_revoked: `select from authority_mandates where revoked_at is not null limit 1000`,
  first_paid_runs_outcome: `select from first_paid_runs where reached is null limit 1000`,
  prospect_events_sent: `select from prospect_events where at >= now() and event = 'message_sent'
    and channel is not null limit 1000`,
  prospect_events_qualified: `select from prospect_events where at >= now() and event = 'moved'
    and state = 'qualified' and cites is not null limit 1000`,
  prospects_bound: `select prospect_id from prospects where agent_id is not null
    order by state_since desc, prospect_id limit 1000`,
  tasks_paid_of_agent: `select task_id from tasks where agent_id = 'a' and usage = 'operational'
    and entitlement_id is not null and changed_at >= now() order by changed_at desc limit 1000`,
  pilots_state: `select from pilots where state = 'requested' limit 1000`,
  tasks_sandbox: `select state from tasks where agent_id is null and usage = 'synthetic'
    order by created_at desc, task_id limit 1000`,
  regression_reports_own: `select failed from regression_reports where origin = 'caller'
    and agent_id = 'a' order by seq desc limit 1000`,
  commerce_proofs_agent: `select proof_id from commerce_proofs where agent_id = 'a'
    order by evaluated_at desc limit 1000`,
  agent_signing_versions_key_id_key: `select from agent_signing_versions where agent_id = 'a'
    and key_id = 'b'`,
  agents_published: `select agent_id, created_at from agents where publish_profile and trust_state = 'trusted'
    order by created_at desc, agent_id limit 10000`,
  work_orders_open: `select work_order_id from work_orders where exchange_until is not null and decision = 'approve'
    and created_at > now() order by created_at desc, work_order_id limit 10000`,
  production_runs_newest: `select subject from production_writes where customer_account is not null
    order by checked_at desc, subject limit 25`,
  regression_reports_origin: `select failed from regression_reports where origin = 'service'
    order by seq desc limit 1000`,
}

verifies('admission.counts-bounded', 'each such count and list reads by its index', () =>
  transaction(apis.db, async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx)
    await sql`set local enable_sort = off`.execute(tx)
    for (const [index, read] of Object.entries(reads)) {
      const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${sql.raw(read)}`.execute(tx)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan, index).toContain(index)
      expect(plan, index).not.toMatch(/Seq Scan|Sort/)
    }
  }),
)
