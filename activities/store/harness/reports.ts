import { type Selectable, sql } from 'kysely'
import type { ReportedStep } from '#domain/harness/regressions.ts'
import type { Tx } from '../postgres/db.ts'
import { COUNTED_MAX, findRow, insertOnce, requireRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type RegressionReportRow = Selectable<Database['regression_reports']>
type NewReport = {
  readonly report_id: string
  readonly origin: RegressionReportRow['origin']
  readonly test_run_id: string | null
  readonly agent_id: string | null
  readonly suite: string
  readonly steps: readonly ReportedStep[]
  readonly passed: number
  readonly failed: number
  readonly transcript_hash: string
  readonly code_version: string
  readonly note: string | null
  readonly receipt_id: string | null
}

/** Serializes the transactions that add reports, so that each is compared with the one before it. */
export async function lockReports(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('regressions', 0))`.execute(tx)
}

/** Appends a report, unless it is known; returns the stored one. */
export async function insertReport(
  tx: Tx,
  { steps, ...report }: NewReport,
): Promise<RegressionReportRow> {
  await insertOnce(tx, 'regression_reports', { ...report, steps: JSON.stringify(steps) })
  return requireRow(tx, 'regression_reports', { report_id: report.report_id })
}

export const findReport = (tx: Tx, reportId: string) =>
  findRow(tx, 'regression_reports', { report_id: reportId })

/** The steps of the report of the same suite and source that came last before this one. */
export async function stepsBefore(
  tx: Tx,
  { seq, origin, suite, agent_id }: RegressionReportRow,
): Promise<ReportedStep[] | undefined> {
  const row = await tx
    .selectFrom('regression_reports')
    .select('steps')
    .where('origin', '=', origin)
    .where('suite', '=', suite)
    .$if(origin === 'caller', (query) => query.where('agent_id', '=', agent_id))
    .where('seq', '<', seq)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.steps
}

/** How many reports this agent stored within a day. */
export async function countReportsToday(tx: Tx, agentId: string): Promise<number> {
  const { rows } = await sql<{ today: number }>`select count(*)::integer as today
    from regression_reports where origin = 'caller' and agent_id = ${agentId}
    and at > clock_timestamp() - interval '1 day'`.execute(tx)
  return rows[0]?.today ?? 0
}

export type ReportFilter = {
  readonly kind: string | undefined
  readonly failed: boolean | undefined
  readonly since: Date | undefined
  /** Whose own reports are shown next to those of the service. */
  readonly agentId: string | undefined
}

/** What a filter takes of the newest `COUNTED_MAX` reports of the service, and of as many of the agent's own. */
function filtered(tx: Tx, { kind, failed, since, agentId }: ReportFilter) {
  const newest = tx
    .selectFrom('regression_reports')
    .selectAll()
    .$if(kind !== undefined, (query) => query.where('suite', '=', kind ?? ''))
    .orderBy('seq', 'desc')
    .limit(COUNTED_MAX)
  const ofService = newest.where('origin', '=', 'service')
  const own = newest.where('origin', '=', 'caller').where('agent_id', '=', agentId ?? '')
  return tx
    .selectFrom(
      tx
        .selectFrom(ofService.as('of_service'))
        .selectAll()
        .unionAll(tx.selectFrom(own.as('own')).selectAll())
        .as('newest'),
    )
    .$if(failed === true, (query) => query.where('failed', '>', 0))
    .$if(failed === false, (query) => query.where('failed', '=', 0))
    .$if(since !== undefined, (query) => query.where('at', '>=', since ?? new Date(0)))
}

/** A page of reports, the newest first: those of the service, and this agent's own. */
export const listReports = (
  tx: Tx,
  filter: ReportFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<RegressionReportRow[]> =>
  filtered(tx, filter).selectAll().orderBy('seq', 'desc').offset(offset).limit(limit).execute()

export type ReportTotals = {
  reports: number
  with_failures: number
  steps_passed: number
  steps_failed: number
  /** Failed steps of the oldest and the newest report; null without reports. */
  oldest: number | null
  newest: number | null
}

/** The totals of what a filter takes. */
export async function sumReports(tx: Tx, filter: ReportFilter): Promise<ReportTotals> {
  return filtered(tx, filter)
    .select([
      sql<number>`count(*)::integer`.as('reports'),
      sql<number>`(count(*) filter (where failed > 0))::integer`.as('with_failures'),
      sql<number>`coalesce(sum(passed), 0)::integer`.as('steps_passed'),
      sql<number>`coalesce(sum(failed), 0)::integer`.as('steps_failed'),
      sql<number | null>`(array_agg(failed order by seq))[1]`.as('oldest'),
      sql<number | null>`(array_agg(failed order by seq desc))[1]`.as('newest'),
    ])
    .executeTakeFirstOrThrow()
}

/** The report that was made of a test. */
export const findReportOf = (tx: Tx, testRunId: string) =>
  findRow(tx, 'regression_reports', { test_run_id: testRunId })
