import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { limits } from '#domain/core/limits.ts'
import { diffOf, type ReportedStep } from '#domain/harness/regressions.ts'
import { COUNTERPART_STEP } from '#domain/harness/suites.ts'
import { isIntact, type PlayedStep, transcriptHash } from '#domain/harness/transcript.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import {
  countReportsToday,
  findReport,
  findReportOf,
  insertReport,
  listReports,
  lockReports,
  type RegressionReportRow,
  type ReportFilter,
  stepsBefore,
  sumReports,
} from '../../../activities/store/harness/reports.ts'
import {
  findHarnessRun,
  type HarnessRunRow,
  listHarnessSteps,
} from '../../../activities/store/harness/runs.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { issueReceipt, type ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'

/** What an agent says of its own test. */
export type OwnReport = {
  suite: string
  passed: number
  failed: number
  steps: ReportedStep[]
  transcript_hash: string
  code_version: string
}
type RegressionDeps = ReceiptIssuer & { db: Tx }

/** Reports of tests: of this service, made of stored transcripts, and of agents, for themselves. */
export class Regressions {
  private readonly deps: RegressionDeps

  constructor(deps: RegressionDeps) {
    this.deps = deps
  }

  /** A page of the reports of this service and of this agent, with the totals of all that the filter takes. */
  async list(filter: ReportFilter, page: { offset: number; limit: number }) {
    const { db } = this.deps
    const [rows, { oldest, newest, ...totals }] = await Promise.all([
      listReports(db, filter, page),
      sumReports(db, filter),
    ])
    const failed_then_now: [number, number] | null =
      oldest === null || newest === null ? null : [oldest, newest]
    return {
      items: rows.map(reportView),
      ...page,
      total: totals.reports,
      trend: { ...totals, failed_then_now },
    }
  }

  /**
   * The one report of a completed test with its receipt; a repeat returns the first. Throws 404, and 409 `not_ready` while the test
   * runs.
   */
  persist(testRunId: string, note: string | null) {
    return transaction(this.deps.db, async (tx) => {
      await lockReports(tx)
      const run = await findHarnessRun(tx, testRunId)
      if (run === undefined) throw refuse('not_found', { detail: 'there is no such test' })
      const report = (await findReportOf(tx, testRunId)) ?? (await this.#report(tx, run, note))
      const jws = await this.#receipt(tx, report)
      return { ...(await withDiff(tx, report)), receipt: receiptView(jws) }
    })
  }

  /** A report of an agent about its own test; a repeat of the call returns the first. Throws 429 for too many within a day. */
  store(agentId: string, report: OwnReport, callId: string) {
    return transaction(this.deps.db, async (tx) => {
      await lockReports(tx)
      const report_id = `rg_${digestOf({ type: 'service.regression.v1', call_id: callId })}`
      const known = await findReport(tx, report_id)
      if (known !== undefined) return withDiff(tx, known)
      if ((await countReportsToday(tx, agentId)) >= limits.regressionReportsPerDay)
        throw refuse('rate_limited', {
          detail: 'this agent stored enough reports within a day',
          retry_after_ms: 3_600_000,
        })
      const owned = { report_id, origin: 'caller', agent_id: agentId } as const
      const none = { test_run_id: null, note: null, receipt_id: null }
      return withDiff(tx, await insertReport(tx, { ...report, ...owned, ...none }))
    })
  }

  async #report(tx: Tx, run: HarnessRunRow, note: string | null): Promise<RegressionReportRow> {
    const { test_run_id, suite, code_version } = run
    const played = await intactSteps(tx, run)
    const report_id = `rg_${digestOf({ type: 'service.regression.v1', test_run_id })}`
    // The server of someone else says nothing about this service.
    const own = run.steps.filter((step) => step !== COUNTERPART_STEP)
    const steps = own.map((step) => ({
      step,
      ok: played.some((one) => one.step === step && one.ok),
    }))
    const passed = steps.filter(({ ok }) => ok).length
    const facts = {
      report_id,
      origin: 'service',
      test_run_id,
      agent_id: null,
      suite,
      passed,
      failed: steps.length - passed,
      transcript_hash: transcriptHash(suite, played),
      code_version,
    } as const
    const jws = await this.#receipt(tx, facts)
    return insertReport(tx, { ...facts, steps, note, receipt_id: receiptId(jws) })
  }

  #receipt(tx: Tx, report: Omit<ReportFacts, 'at'>): Promise<string> {
    const { report_id, test_run_id, suite, passed, failed, transcript_hash, code_version } = report
    return issueReceipt(this.deps, tx, {
      subject: report_id,
      kind: 'regression',
      usage: 'synthetic',
      facts: { report_id, test_run_id, suite, passed, failed, transcript_hash, code_version },
    })
  }
}

type ReportFacts = Pick<
  RegressionReportRow,
  | 'report_id'
  | 'test_run_id'
  | 'suite'
  | 'passed'
  | 'failed'
  | 'transcript_hash'
  | 'code_version'
  | 'at'
>

/** The stored steps of a test, whose hash is worked out from them again. */
async function intactSteps(tx: Tx, run: HarnessRunRow): Promise<PlayedStep[]> {
  const { test_run_id, suite, transcript_hash } = run
  if (transcript_hash === null)
    throw refuse('not_ready', {
      detail: 'the test is still running',
      next_action: 'Send the same call again once it is completed.',
      retry_after_ms: 5_000,
    })
  const played = await listHarnessSteps(tx, test_run_id)
  if (!played.every(isIntact) || transcriptHash(suite, played) !== transcript_hash)
    throw new Error(`the transcript of ${test_run_id} has another hash`)
  return played
}

const withDiff = async (tx: Tx, report: RegressionReportRow) => ({
  report: reportView(report),
  diff: diffOf(await stepsBefore(tx, report), report.steps),
})

function reportView(report: RegressionReportRow) {
  const { origin, passed, failed, transcript_hash, code_version, note, at } = report
  const { report_id, test_run_id, suite } = report
  return {
    report_id,
    test_run_id,
    origin,
    verified: origin === 'service',
    suite,
    passed,
    failed,
    transcript_hash,
    code_version,
    note,
    at: at.toISOString(),
  }
}
