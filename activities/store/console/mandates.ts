import { type RawBuilder, sql } from 'kysely'
import type { RuleResult } from '#domain/authority/evaluate.ts'
import type { MandateState } from '#domain/authority/facts.ts'
import type { Tx } from '../postgres/db.ts'
import type { FiringRow } from '../production/customer-workflows.ts'

type MandateKind = 'authority' | 'ap2' | 'payout'

/** A mandate in a list; amounts are whole US dollars, minor units of its currency for AP2, atomic units for a payout. */
export type MandateLine = {
  kind: MandateKind
  /** The id of a mandate that was issued here, or the key of one of another issuer. */
  id: string
  agent_id: string | null
  agent_name: string | null
  principal: string
  state: MandateState
  currency: string | null
  used: string
  total: string | null
  uses: number
  uses_max: number | null
  issued_by: string | null
  known_since: Date
  expires_at: Date | null
  revoked_at: Date | null
  revoked_by: string | null
  revoke_reason: string | null
  document: Record<string, unknown> | null
}
export type MandateFilter = {
  kind?: MandateKind | undefined
  state?: MandateState | undefined
  /** A whole id of a mandate, agent, grant or principal. */
  text?: string | undefined
}
type Page = { offset: number; limit: number }

const stateOf = (
  spent: RawBuilder<unknown>,
) => sql`case when m.revoked_at is not null then 'revoked'
  when m.expires_at <= clock_timestamp() then 'expired' when ${spent} then 'exhausted' else 'active' end`

const ofAuthority = (text: string | null) => sql`
  select 'authority' as kind, m.mandate_id as id, m.agent_id, m.document->>'principal_id' as principal,
      ${stateOf(sql`m.used_actions >= m.actions_max or (m.total_usd > 0 and m.used_usd >= m.total_usd)`)} as state,
      'USD' as currency, m.used_usd::text as used, m.total_usd::text as total, m.used_actions as uses, m.actions_max as uses_max,
      m.issued_by, m.issued_at as known_since, m.expires_at, m.revoked_at, m.revoked_by, m.revoke_reason, m.document
    from authority_mandates m
    where ${text}::text is null or m.mandate_id = ${text} or m.agent_id = ${text} or m.document->>'principal_id' = ${text}
      or m.mandate_id = (select g.mandate_id from action_grants g where g.grant_id = ${text})`

// A payment that was rejected or has expired is given back.
const ofAp2 = (text: string | null) => sql`
  select 'ap2' as kind, coalesce(m.mandate_id, m.mandate_key) as id, m.agent_id, m.issuer as principal,
      ${stateOf(sql`p.uses >= m.uses_max or p.used >= m.budget_minor`)} as state,
      m.currency, p.used::text as used, m.budget_minor::text as total, p.uses, m.uses_max,
      m.issued_by, m.known_since, m.expires_at, m.revoked_at, m.revoked_by, m.revoke_reason, m.document
    from ap2_mandates m
    cross join lateral (select coalesce(sum(x.amount_minor) filter (where x.currency = m.currency), 0) as used, count(*)::int as uses
      from ap2_payments x join payment_references r using (payment_reference_id)
      where x.mandate_key = m.mandate_key and r.state not in ('rejected','expired')) p
    where ${text}::text is null or m.mandate_id = ${text} or m.mandate_key = ${text} or m.agent_id = ${text} or m.issuer = ${text}`

// It is used once, by the payout that it was issued for.
const ofPayout = (text: string | null) => sql`
  select 'payout' as kind, m.mandate_id as id, null::text as agent_id, p.creator as principal, ${stateOf(sql`u.uses = 1`)} as state,
      'USDC' as currency, (p.amount_atomic * u.uses)::text as used, p.amount_atomic::text as total, u.uses, 1 as uses_max,
      o.name as issued_by, m.issued_at as known_since, m.expires_at, m.revoked_at, m.revoked_by, m.revoke_reason,
      json_build_object('payout_id', m.payout_id, 'recipient', p.recipient, 'usage', p.usage, 'request_sha256', m.request_sha256) as document
    from mandates m join payouts p using (payout_id) left join operators o using (operator_id)
    cross join lateral (select count(*)::int as uses from replay_ledger l
      where l.kind = 'mandate' and l.key = m.replay_key and l.subject = m.payout_id) u
    where ${text}::text is null or m.mandate_id = ${text} or m.payout_id = ${text} or p.creator = ${text}`

const partsOf = { authority: ofAuthority, ap2: ofAp2, payout: ofPayout }

/** Mandates of authority, of AP2 and for payouts, the newest first. */
export async function listMandateLines(
  tx: Tx,
  { kind, state, text }: MandateFilter,
  { offset, limit }: Page,
): Promise<MandateLine[]> {
  const asked = text ?? null
  const most = offset + limit
  const newest = (mandates: RawBuilder<unknown>) => sql`(select * from (${mandates}) m
    where ${state ?? null}::text is null or m.state = ${state ?? null}
    order by m.known_since desc, m.id limit ${most})`
  const kinds =
    kind === undefined ? [partsOf.authority, partsOf.ap2, partsOf.payout] : [partsOf[kind]]
  const parts = kinds.map((of) => newest(of(asked)))
  const { rows } = await sql<MandateLine>`
    select m.*, a.name as agent_name from (${sql.join(parts, sql` union all `)}) m left join agents a using (agent_id)
    order by m.known_since desc, m.id offset ${offset} limit ${limit}`.execute(tx)
  return rows
}

/** A payment under a mandate of AP2, in minor units. */
export type Ap2PaymentLine = {
  payment_reference_id: string
  state: string
  amount_minor: string
  currency: string
  instrument_type: string
  instrument_id: string
  paid_at: Date
}

/** The payments under a mandate of AP2, the newest first. */
export async function listAp2Payments(tx: Tx, id: string, most: number): Promise<Ap2PaymentLine[]> {
  const { rows } = await sql<Ap2PaymentLine>`
    select p.payment_reference_id, r.state, p.amount_minor::text as amount_minor, p.currency, p.instrument_type, p.instrument_id, p.paid_at
    from ap2_payments p join payment_references r using (payment_reference_id) join ap2_mandates m using (mandate_key)
    where m.mandate_id = ${id} or m.mandate_key = ${id}
    order by p.paid_at desc limit ${most}`.execute(tx)
  return rows
}

/** A firing of a delegated workflow that was charged to a mandate; 0: the price of the action that made the workflow. */
export type FiringLine = {
  firing_id: string
  workflow_id: string
  workflow_name: string
  action_id: string
  state: FiringRow['state']
  run_id: string | null
  charged_usd: number
  due_at: Date
}

/** The firings that were charged to a mandate, those that were due last first. */
export async function listFiringLines(
  tx: Tx,
  mandateId: string,
  most: number,
): Promise<FiringLine[]> {
  const { rows } = await sql<FiringLine>`
    select f.firing_id, f.workflow_id, w.name as workflow_name, w.action_id, f.state, f.run_id, f.charged_usd, f.due_at
    from workflow_firings f join customer_workflows w using (workflow_id)
    where f.mandate_id = ${mandateId} order by f.due_at desc, f.firing_id limit ${most}`.execute(tx)
  return rows
}

/** A decision about an action under a mandate, with the rules that decided. */
export type DecisionLine = {
  decision_id: string
  purpose: 'evaluate' | 'grant' | 'execute'
  decision: 'allow' | 'deny'
  operation_id: string
  grant_id: string | null
  price_usd: number | null
  rules: RuleResult[]
  receipt_id: string
  decided_at: Date
}

/** The decisions about actions under a mandate, the newest first. */
export async function listDecisionLines(
  tx: Tx,
  mandateId: string,
  most: number,
): Promise<DecisionLine[]> {
  const { rows } = await sql<DecisionLine>`
    select decision_id, purpose, decision, operation_id, grant_id, price_usd, rules, receipt_id, decided_at
    from authority_decisions where mandate_id = ${mandateId} order by decided_at desc limit ${most}`.execute(
    tx,
  )
  return rows
}
