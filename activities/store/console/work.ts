import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'

/** A payout or a task in a list. */
export type WorkRow = {
  kind: 'payout' | 'task'
  id: string
  state: string
  rail: string
  usage: string
  /** The wallet that created the payout, or the agent of the task. */
  owner: string | null
  amount_usd: string | null
  created_at: Date
}
export type WorkFilter = {
  kind?: 'payout' | 'task' | undefined
  state?: string | undefined
  /** A whole id, agent, wallet, reference or transaction. */
  text?: string | undefined
}

const payouts = ({
  state = null,
  text = null,
}: {
  state: string | null
  text: string | null
}) => sql`
  select 'payout' as kind, p.payout_id as id, p.state, 'payout' as rail, p.usage, p.creator as owner,
      round(p.amount_atomic / 1000000, 6)::text as amount_usd, p.created_at
    from payouts p
    where (${state}::text is null or p.state = ${state})
      and (${text}::text is null or p.payout_id = ${text} or p.creator = lower(${text}) or p.recipient = lower(${text})
        or p.rail_reference = ${text}
        or p.payout_id in (select x.payout_id from transfers x where x.transaction_hash = lower(${text})))`

const tasks = ({ state = null, text = null }: { state: string | null; text: string | null }) => sql`
  select 'task', t.task_id, t.state, t.rail, t.usage, t.agent_id,
      (select q.total_usd::text from quotes q where q.quote_id = t.quote_id), t.created_at
    from tasks t
    where (${state}::text is null or t.state = ${state})
      and (${text}::text is null or t.task_id = ${text} or t.run_id = ${text} or t.agent_id = ${text} or t.rail = ${text}
        or t.contract_id = ${text} or t.quote_id = ${text} or t.entitlement_id = ${text})`

/** Payouts and tasks, the newest first. */
export async function searchWork(
  tx: Tx,
  { kind, state, text }: WorkFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<WorkRow[]> {
  const filter = { state: state ?? null, text: text ?? null }
  const most = offset + limit
  const parts = [
    ...(kind === 'task'
      ? []
      : [sql`(${payouts(filter)} order by p.created_at desc limit ${most})`]),
    ...(kind === 'payout'
      ? []
      : [sql`(${tasks(filter)} order by t.created_at desc limit ${most})`]),
  ]
  const { rows } = await sql<WorkRow>`
    select w.kind, w.id, w.state, w.rail, w.usage, w.owner, w.amount_usd, w.created_at
    from (${sql.join(parts, sql` union all `)}) w(kind, id, state, rail, usage, owner, amount_usd, created_at)
    order by w.created_at desc, w.id offset ${offset} limit ${limit}`.execute(tx)
  return rows
}

/** One thing that happened to a payout or a task. */
export type TimelineRow = {
  at: Date
  what: 'state' | 'receipt' | 'transaction' | 'step'
  name: string
  detail: string
  reference: string | null
}

/** What happened to a payout: its states, receipts, and transactions, oldest first. */
export async function payoutTimeline(tx: Tx, payoutId: string): Promise<TimelineRow[]> {
  const { rows } = await sql<TimelineRow>`
    select * from (
      select created_at as at, 'state' as what, 'created' as name, memo as detail, rail_reference as reference
        from payouts where payout_id = ${payoutId}
      union all select authorized_at, 'state', 'authorized', 'expires ' || to_char(to_timestamp(expires_at) at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') || ' UTC', mandate_ref
        from payouts where payout_id = ${payoutId} and authorized_at is not null
      union all select reserved_at, 'state', 'reserved', 'the amount counts against the daily cap', nonce
        from transfers where payout_id = ${payoutId}
      union all select coalesce(t.broadcast_at, t.created_at), 'transaction', coalesce(t.outcome, 'sent'),
          'nonce ' || t.eoa_nonce || ' of ' || t.gas_wallet, t.tx_hash
        from gas_wallet_transactions t where t.purpose = ${`payout:${payoutId}`}
      union all select greatest(block_time, reserved_at), 'transaction', 'included', 'block ' || block_number || ', ' || confirmations || ' confirmations', transaction_hash
        from transfers where payout_id = ${payoutId} and block_time is not null
      union all select executed_at, 'state', 'executed', '', null from payouts where payout_id = ${payoutId} and executed_at is not null
      union all select issued_at, 'receipt', kind, 'receipt ' || seq, receipt_id from receipts where subject = ${payoutId} and set_aside_at is null
    ) happened order by at, what desc limit 500`.execute(tx)
  return rows
}

/** What happened to a task: its ledger, the steps of its run with their attempts, and its receipts, oldest first. */
export async function taskTimeline(tx: Tx, taskId: string): Promise<TimelineRow[]> {
  const { rows } = await sql<TimelineRow>`
    select * from (
      select at, 'state' as what, to_state as name, event || ' by ' || actor as detail, hash as reference, sequence as nth
        from task_events where task_id = ${taskId}
      union all select coalesce(s.finished_at, s.started_at), 'step', s.step, 'attempt ' || (s.attempt + 1) || ', round ' || s.round
          || coalesce(': ' || s.verdict, ', under way') || coalesce(' by ' || s.decided_by, ''), s.output_sha256, 0
        from loop_steps s join runs r using (run_id) where r.task_id = ${taskId}
      union all select c.issued_at, 'receipt', c.kind, 'receipt ' || c.seq, c.receipt_id, c.seq
        from receipts c where c.set_aside_at is null and c.subject in (select ${taskId} union all select run_id from runs where task_id = ${taskId}
          union all select exception_id from task_exceptions where task_id = ${taskId})
    ) happened order by at, nth limit 500`.execute(tx)
  return rows.map(({ at, what, name, detail, reference }) => ({
    at,
    what,
    name,
    detail,
    reference,
  }))
}
