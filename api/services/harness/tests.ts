import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { CODE_VERSION } from '#domain/core/code-version.ts'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import {
  COUNTERPART_STEP,
  type HarnessRail,
  planOf,
  type SuiteName,
} from '#domain/harness/suites.ts'
import type { PlayedStep } from '#domain/harness/transcript.ts'
import { leadsOutside, type OutgoingSettings } from '../../../activities/http/outgoing.ts'
import { findReportOf } from '../../../activities/store/harness/reports.ts'
import {
  beginHarness,
  findHarnessRun,
  type HarnessLimit,
  type HarnessRunRow,
  listHarnessSteps,
} from '../../../activities/store/harness/runs.ts'
import { type Changes, lookUntil } from '../../../activities/store/postgres/changes.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'

export type TestAsked = {
  rail: HarnessRail
  scenarios?: readonly string[] | undefined
  counterpart_mcp_url?: string | undefined
}
type TestDeps = {
  db: Tx
  changes: Pick<Changes, 'wait'>
  /** Where a counterpart may be; without exemptions. */
  outside: Omit<OutgoingSettings, 'exempt'>
  runsMax: { hour: number; day: number }
  /** How long a call waits for its test. */
  waitMs: number
  /** Starts or joins the workflow of a stored test; a sweep does it where this fails. */
  notify(run: HarnessRunRow): Promise<void>
}

/** Tests of the running service, each one workflow. */
export class HarnessTests {
  private readonly deps: TestDeps
  /** The steps of a suite, and what each expects. */
  readonly scenarios = (suite: SuiteName) =>
    planOf(suite, { counterpart: true }).map(({ step, expected }) => ({ step, expected }))

  constructor(deps: TestDeps) {
    this.deps = deps
  }

  /**
   * Begins a test, or joins that of the same call, and waits for it: 200 once it is completed, 202 while it runs. Throws 422
   * `callback_refused` for a counterpart that is not at a public address, and 429 for too many tests of a caller, a day or at once.
   */
  async run(
    suite: SuiteName,
    asked: TestAsked,
    { callId, address }: { callId: string; address: string },
  ) {
    const { db, changes, notify, waitMs } = this.deps
    const test_run_id = `tr_${digestOf({ type: 'service.test-run.v1', call_id: callId })}`
    const known = await findHarnessRun(db, test_run_id)
    if (known === undefined) await this.#assertOutside(asked.counterpart_mcp_url)
    const begun = known ?? (await this.#begin(suite, asked, { test_run_id, address }))
    if (begun.ended_at === null) await notify(begun)
    await lookUntil(changes, test_run_id, waitMs, async () => {
      const run = await findHarnessRun(db, test_run_id)
      return run?.ended_at == null ? undefined : run
    })
    const { transcript: _transcript, ...body } = await this.read(suite, test_run_id)
    return { status: body.state === 'completed' ? 200 : 202, body }
  }

  /** A test of this suite with its transcript. Throws 404. */
  async read(suite: SuiteName, testRunId: string) {
    const { db } = this.deps
    const run = await findHarnessRun(db, testRunId)
    if (run === undefined || run.suite !== suite)
      throw refuse('not_found', { detail: 'there is no such test' })
    const [steps, report] = await Promise.all([
      listHarnessSteps(db, testRunId),
      findReportOf(db, testRunId),
    ])
    return testView(run, steps, report?.report_id ?? null)
  }

  async #begin(
    suite: SuiteName,
    { rail, scenarios, counterpart_mcp_url }: TestAsked,
    { test_run_id, address }: { test_run_id: string; address: string },
  ): Promise<HarnessRunRow> {
    const counterpart = counterpart_mcp_url !== undefined
    const plan = planOf(suite, { scenarios, counterpart })
    if (plan.length === 0)
      throw refuse('invalid_request', {
        detail: 'nothing is left to play',
        errors: [
          { pointer: '/scenarios', message: `${COUNTERPART_STEP} needs counterpart_mcp_url` },
        ],
      })
    const test = {
      test_run_id,
      suite,
      rail,
      steps: plan.map(({ step }) => step),
      counterpart_mcp_url: counterpart_mcp_url ?? null,
      caller_sha256: sha256Hex(address),
      code_version: CODE_VERSION,
    }
    const { db, runsMax } = this.deps
    const bounds = {
      callerHourMax: runsMax.hour,
      // One address leaves four fifths of a day to the others.
      callerDayMax: Math.ceil(runsMax.day / 5),
      dayMax: runsMax.day,
      openMax: limits.harnessOpenMax,
    }
    const begun = await beginHarness(db, test, bounds)
    if (typeof begun === 'string') throw refusals[begun]()
    return begun
  }

  async #assertOutside(url: string | undefined): Promise<void> {
    if (url === undefined) return
    if (!(await leadsOutside({ ...this.deps.outside, exempt: [] }, url)))
      throw refuse('callback_refused', {
        detail: 'counterpart_mcp_url does not lead to a public address',
      })
  }
}

function testView(run: HarnessRunRow, steps: readonly PlayedStep[], report_id: string | null) {
  const passed = steps.filter(({ ok }) => ok).length
  const completed = run.ended_at !== null
  return {
    test_run_id: run.test_run_id,
    suite: run.suite,
    rail: run.rail,
    state: completed ? ('completed' as const) : ('running' as const),
    passed,
    failed: run.failed ?? steps.length - passed,
    pending: completed ? [] : run.steps.filter((step) => !steps.some((one) => one.step === step)),
    steps: steps.map(({ exchanges: _exchanges, ...step }) => step),
    transcript_hash: run.transcript_hash,
    report_id,
    usage: 'synthetic' as const,
    code_version: run.code_version,
    began_at: run.created_at.toISOString(),
    transcript: steps.map(({ step, exchanges }) => ({ step, exchanges: [...exchanges] })),
  }
}

const rateLimited = (detail: string, retry_after_ms: number): DomainError =>
  refuse('rate_limited', { detail, retry_after_ms })

const refusals: Record<HarnessLimit, () => DomainError> = {
  too_many_of_caller: () =>
    rateLimited('this address began enough tests within an hour', 1_800_000),
  too_many_of_caller_today: () =>
    rateLimited('this address began enough tests within a day', 3_600_000),
  too_many_today: () => rateLimited('enough tests were begun within a day', 3_600_000),
  too_many_open: () => rateLimited('other tests are running', 30_000),
}
