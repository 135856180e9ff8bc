import { type Selectable, sql } from 'kysely'
import type { HarnessRail, SuiteName } from '#domain/harness/suites.ts'
import type { PlayedStep } from '#domain/harness/transcript.ts'
import { notifyChanged } from '../postgres/changes.ts'
import { type Tx, transaction } from '../postgres/db.ts'
import { findRow, findValue, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type HarnessRunRow = Selectable<Database['harness_runs']>
type NewRun = {
  readonly test_run_id: string
  readonly suite: SuiteName
  readonly rail: HarnessRail
  readonly steps: readonly string[]
  readonly counterpart_mcp_url: string | null
  readonly caller_sha256: string
  readonly code_version: string
}
/** Tests that one caller may begin within an hour and a day, that all may begin within a day, and that may be open at once. */
export type HarnessBounds = {
  readonly callerHourMax: number
  readonly callerDayMax: number
  readonly dayMax: number
  readonly openMax: number
}
/** Why a test cannot be begun. */
export type HarnessLimit =
  | 'too_many_of_caller'
  | 'too_many_of_caller_today'
  | 'too_many_today'
  | 'too_many_open'

/** A test that has no outcome after so long counts as given up. */
const OPEN = sql`interval '15 minutes'`
const KEEP = sql`interval '31 days'`

/** Stores a test, unless it is known; returns the limit that refuses a new one. Tests without a report are kept for a month. */
export function beginHarness(
  db: Tx,
  { steps, ...asked }: NewRun,
  bounds: HarnessBounds,
): Promise<HarnessRunRow | HarnessLimit> {
  return transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('harness', 0))`.execute(tx)
    const known = await findHarnessRun(tx, asked.test_run_id)
    if (known !== undefined) return known
    await sql`delete from harness_runs h where created_at < clock_timestamp() - ${KEEP}
      and not exists (select from regression_reports r where r.test_run_id = h.test_run_id)`.execute(
      tx,
    )
    const { ofCaller, ofCallerToday, today, open } = await countRuns(tx, asked.caller_sha256)
    if (ofCaller >= bounds.callerHourMax) return 'too_many_of_caller'
    if (ofCallerToday >= bounds.callerDayMax) return 'too_many_of_caller_today'
    if (today >= bounds.dayMax) return 'too_many_today'
    if (open >= bounds.openMax) return 'too_many_open'
    return tx
      .insertInto('harness_runs')
      .values({ ...asked, steps: JSON.stringify(steps) })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
}

type Counted = { ofCaller: number; ofCallerToday: number; today: number; open: number }

async function countRuns(tx: Tx, caller: string) {
  const { rows } = await sql<Counted>`
    select count(*) filter (where caller_sha256 = ${caller} and created_at > clock_timestamp() - interval '1 hour')::integer as "ofCaller",
      count(*) filter (where caller_sha256 = ${caller})::integer as "ofCallerToday",
      count(*)::integer as today,
      count(*) filter (where ended_at is null and created_at > clock_timestamp() - ${OPEN})::integer as open
    from harness_runs where created_at > clock_timestamp() - interval '1 day'`.execute(tx)
  return rows[0] ?? { ofCaller: 0, ofCallerToday: 0, today: 0, open: 0 }
}

export const findHarnessRun = (tx: Tx, testRunId: string) =>
  findRow(tx, 'harness_runs', { test_run_id: testRunId })

/** The fact of this name, which the first call decides; no secret is one. */
export async function keepHarnessFact(
  db: Tx,
  testRunId: string,
  name: string,
  make: () => Promise<string>,
): Promise<string> {
  const known = await findFact(db, testRunId, name)
  if (known !== undefined) return known
  await db
    .insertInto('harness_facts')
    .values({ test_run_id: testRunId, name, fact: await make() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const kept = await findFact(db, testRunId, name)
  if (kept === undefined) throw new Error(`the fact ${name} of ${testRunId} is missing`)
  return kept
}

const findFact = (tx: Tx, testRunId: string, name: string): Promise<string | undefined> =>
  findValue(tx, 'harness_facts', { test_run_id: testRunId, name }, 'fact')

/** Stores the outcome of a step where there is none yet; returns the one that is stored. */
export async function keepHarnessStep(
  db: Tx,
  testRunId: string,
  played: PlayedStep,
): Promise<PlayedStep> {
  await db
    .insertInto('harness_steps')
    .values({ test_run_id: testRunId, step: played.step, played: JSON.stringify(played) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await findHarnessStep(db, testRunId, played.step)) ?? played
}

export const findHarnessStep = (tx: Tx, testRunId: string, step: string) =>
  findValue(tx, 'harness_steps', { test_run_id: testRunId, step }, 'played')

/** The outcomes of a test so far, in the order in which they were stored. */
export async function listHarnessSteps(tx: Tx, testRunId: string): Promise<PlayedStep[]> {
  const rows = await tx
    .selectFrom('harness_steps')
    .select('played')
    .where('test_run_id', '=', testRunId)
    .orderBy('at')
    .execute()
  return rows.map(({ played }) => played)
}

/** Stores the totals where there are none yet, and wakes the calls that wait for them. */
export function endHarnessRun(
  db: Tx,
  testRunId: string,
  totals: { passed: number; failed: number; transcript_hash: string },
): Promise<void> {
  return transaction(db, async (tx) => {
    await tx
      .updateTable('harness_runs')
      .set({ ...totals, ended_at: now })
      .where('test_run_id', '=', testRunId)
      .where('ended_at', 'is', null)
      .execute()
    await notifyChanged(tx, testRunId)
  })
}

/** Ends the access key of a sandbox agent, as its lifetime would; those of other agents are left as they are. */
export async function expireSandboxCredential(
  db: Tx,
  { agentId, credentialId }: { agentId: string; credentialId: string },
): Promise<void> {
  await db
    .updateTable('agent_credentials')
    .set({ expires_at: sql<Date>`clock_timestamp() - interval '1 second'` })
    .where('credential_id', '=', credentialId)
    .where('agent_id', 'in', (agents) =>
      agents
        .selectFrom('agents')
        .select('agent_id')
        .where('agent_id', '=', agentId)
        .where('sandbox', '=', true),
    )
    .execute()
}
