import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { lateRows, type TargetAges } from '../recovery/late-rows.ts'
import { type WaitingFilter, waitingAs } from '../reviews/waiting-filter.ts'
import { publicSandbox } from '../tasks/public-sandbox.ts'

/** Work that is stopped, differences that reconciliation found, and open rows that are late. */
export type AttentionKind = 'task' | 'payout' | 'difference' | 'late'

export type Attention = {
  kind: AttentionKind
  id: string
  since: Date
  state: string
  code: string
  rail: string | null
  /** What the amount belongs to: US dollars of a task, of a payout, or of the payout that differs. */
  amount_usd: string | null
  detail: string
}
export type AttentionFilter = WaitingFilter & {
  /** Without them nothing is late. */
  ages?: TargetAges | undefined
  kinds: readonly AttentionKind[]
  code?: string | undefined
  rail?: string | undefined
}

// A task that waits for evidence waits for its caller, one whose recovery was requested for the decision about it, and a sandbox run without an agent for its caller.
const stopped = sql`
  select 'task' as kind, t.task_id as id, e.opened_at as since, t.state, e.code, t.rail,
      (select q.total_usd::text from quotes q where q.quote_id = t.quote_id) as amount_usd, e.detail
    from task_exceptions e join tasks t using (task_id)
    where e.closed_at is null and t.state <> 'evidence_partial' and e.state <> 'recovery_requested' and not ${publicSandbox}
  union all
  select 'payout', x.payout_id, x.changed_at, x.status, coalesce(x.exception, 'parked'), 'payout',
      round(x.amount_atomic / 1000000, 6)::text, coalesce(x.parked, x.exception)
    from transfers x where x.status not in ('final','dead') and (x.parked is not null or x.exception is not null)
  union all
  select 'difference', d.exception_id, d.first_seen_at, d.state, d.code, null,
      (select round(p.amount_atomic / 1000000, 6)::text from payouts p where p.payout_id = d.subject), d.subject
    from exceptions d where d.state = 'open'`

/** What is stopped, and what is late beyond that; a late row is named by its state. */
const allWith = (ages: TargetAges | undefined) =>
  ages === undefined
    ? stopped
    : sql`with stopped as (${stopped})
  select * from stopped
  union all
  select 'late', l.id, l.since, l.state, l.subject, null, null, 'it is older than the target of its state'
    from (${lateRows(ages)}) l where not exists (select from stopped s where s.id = l.id)`

const chosen = ({
  ages,
  kinds,
  code,
  rail,
  ...waits
}: AttentionFilter) => sql`from (${allWith(ages)}) a
  where a.kind = any(${[...kinds]}::text[])
    and ${waitingAs(waits, { since: 'a.since', amount: (usd) => sql`a.amount_usd::numeric >= ${usd}::numeric` })}
    and (${code ?? null}::text is null or a.code = ${code ?? null})
    and (${rail ?? null}::text is null or a.rail = ${rail ?? null})`

/** What needs an operator and is no decision, longest waiting first. */
export async function listAttention(
  tx: Tx,
  filter: AttentionFilter,
  most: number,
): Promise<Attention[]> {
  const { rows } = await sql<Attention>`
    select a.* ${chosen(filter)} order by a.since, a.id limit ${most}`.execute(tx)
  return rows
}

/** The number of them by kind. */
export async function countAttention(
  tx: Tx,
  filter: AttentionFilter,
): Promise<Partial<Record<AttentionKind, number>>> {
  const { rows } = await sql<{ kind: AttentionKind; count: number }>`
    select a.kind, count(*)::int as count ${chosen(filter)} group by a.kind`.execute(tx)
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
}

export type AttentionSummary = {
  kind: AttentionKind
  code: string
  count: number
  /** For how long the oldest of them has waited. */
  oldest_seconds: number
}

/** How much of each kind and code needs an operator and is no decision, and since when. */
export async function summarizeAttention(tx: Tx, ages?: TargetAges): Promise<AttentionSummary[]> {
  const { rows } = await sql<AttentionSummary>`
    select a.kind, a.code, count(*)::int as count,
      extract(epoch from clock_timestamp() - min(a.since))::float8 as oldest_seconds
    from (${allWith(ages)}) a group by a.kind, a.code order by min(a.since)`.execute(tx)
  return rows
}
