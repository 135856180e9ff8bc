import { rotationSteps } from '#domain/keys/rotation.ts'
import { createDatabase } from '../../../activities/store/postgres/db.ts'
import { drain, heal, historiesOf, sessionsOf } from './aftermath.ts'
import { strikeAll } from './batch-faults.ts'
import { playRun } from './caller.ts'
import { type ChaosStack, startChaosStack } from './chaos-stack.ts'
import { checkBatch } from './checker/check.ts'
import type { ChaosPrograms } from './compile.ts'
import { type Director, startDirector } from './director.ts'
import { environmentFacts } from './environment-facts.ts'
import { startOperator } from './operator.ts'
import { arm, enrol, type Participant, Participants, useUpPayingAddress } from './participants.ts'
import type { Findings, RunRecord } from './run-record.ts'
import {
  type BatchPlan,
  planBatch,
  runsOfMissed,
  signsApart,
  usesRemoteFacilitator,
} from './schedule.ts'
import { openService } from './service.ts'
import type { Tally } from './tally.ts'

const rotations: ReadonlySet<string> = new Set(['loadRotation', ...Object.values(rotationSteps)])

export type BatchOrder = {
  seed: number
  batch: number
  /** Index of its first run, and how many there are. */
  first: number
  size: number
  programs: ChaosPrograms
  tally: Tally
  log: (text: string) => void
  /** Of all its runs, only this one is played. */
  only?: number
  /** The faults of activities strike only this one, at more of its statements. */
  activity?: string
}
export type BatchReport = {
  plan: BatchPlan
  activities: string[]
  records: RunRecord[]
  findings: Findings
  logs: Record<string, string>
  /** By payout, of the runs that something is found about; they can be replayed. */
  histories: Record<string, unknown>
}

/** How long what is still armed then has to strike. */
const LAST_STRIKES_WITHIN_MS = 45_000

/** Real payouts on a stack of their own while the schedule of the seed is carried out; then everything is mended, drained and checked. */
export async function runBatch(order: BatchOrder): Promise<BatchReport> {
  const { batch, programs, tally } = order
  const participants = new Participants()
  let payerOf: (paymentId: string) => Promise<string | undefined> = async () => undefined
  const director = await startDirector(async (subject) => {
    if (subject.startsWith('po_')) return participants.runOf(subject)
    // A payment without a known payer belongs to no caller.
    return participants.runOf((await payerOf(subject).catch(() => undefined)) ?? '') ?? -1
  }, tally)
  const chaos = await startChaosStack({
    programs,
    director: director.url,
    remoteFacilitator: usesRemoteFacilitator(batch),
    signsApart: signsApart(batch),
    timesOut: (payer) => participants.timesOut(payer, tally),
  })
  const database = createDatabase({
    url: chaos.stack.databaseUrl,
    applicationName: 'chaos',
    poolSize: 4,
  })
  const { db, pool } = database
  payerOf = async (id) =>
    (
      await db
        .selectFrom('payments')
        .select('payer')
        .where('payment_id', '=', id)
        .executeTakeFirst()
    )?.payer
  try {
    // Who signs with the reservation never signs by itself. Rotations are struck by test/e2e/faults/key-rotation.test.ts.
    const activities = director
      .activities()
      .filter((name) => !rotations.has(name))
      .filter((name) => order.activity === undefined || name === order.activity)
      .filter((name) => signsApart(batch) || name !== 'signTransfer')
    const plan = planBatch(order.seed, batch, order.first, order.size, activities)
    for (const run of plan.runs)
      if (order.only === undefined || run.index === order.only)
        participants.add(enrol(order.seed, run, plan, chaos.asset))
    await useUpPayingAddress(pool)
    await arm(chaos, participants.all, director, tally)
    await chaos.commands.mineByTheClock()
    const operator = startOperator(db, chaos.stack)
    await play(chaos, director, participants, plan, order).finally(operator.stop)
    if (!(await drain(db))) order.log(`batch ${batch} is not drained:\n${await sessionsOf(db)}`)
    const records = participants.all.map(({ record }) => record)
    const findings = await checkBatch(await environmentFacts(chaos), records)
    const histories = await historiesOf(chaos, blamed(findings, records))
    return { plan, activities, records, findings, logs: chaos.stack.logs(), histories }
  } finally {
    await database.close()
    await chaos.stop()
    await director.close()
  }
}

/** Every caller plays until its last word, while the faults strike and are mended. */
async function play(
  chaos: ChaosStack,
  director: Director,
  participants: Participants,
  plan: BatchPlan,
  { seed, batch, tally, log }: BatchOrder,
): Promise<void> {
  const begunAt = Date.now()
  const notify = (what: string) =>
    log(`batch ${batch}: ${what} after ${((Date.now() - begunAt) / 1000).toFixed(1)} s`)
  const { service, hurry, close } = openService(chaos, begunAt)
  const playAll = (some: readonly Participant[]) =>
    Promise.all(
      some.map(({ plan, identity, record }) =>
        playRun(service, plan, identity, record).then(() => director.release(plan.index)),
      ),
    )
  const playing = playAll(participants.all)
  const world = { ...chaos, director }
  await strikeAll(world, plan.events, { begunAt, tally, log })
  await heal(chaos)
  const failed = plan.events.filter(({ fault }) => tally.counts[fault] === undefined)
  if (failed.length > 0) {
    const now = failed.map((event) => ({ ...event, atMs: 0 }))
    await strikeAll(world, now, { begunAt, tally, log })
    await heal(chaos)
  }
  notify('mended')
  hurry()
  await playing
  notify('every caller has its last word')
  const played = participants.all.map(({ plan }) => plan)
  const late = runsOfMissed(played, tally.counts).map((run) => enrol(seed, run, plan, chaos.asset))
  if (late.length > 0) {
    for (const participant of late) participants.add(participant)
    await arm(chaos, late, director, tally)
    hurry()
    await playAll(late)
    notify(`${late.map(({ plan }) => plan.fault).join(', ')} had a second chance`)
  }
  for (const line of slowest(participants.all, begunAt)) log(`batch ${batch}: ${line}`)
  await close()
  // Work without a caller continues on its own schedule.
  await director.spent(LAST_STRIKES_WITHIN_MS)
  notify(`${director.unspent().join(', ') || 'nothing'} is left to strike`)
  director.disarm()
  chaos.chainWire.disarm()
}

/** The payouts of the runs that something is found about. */
function blamed(findings: Findings, records: readonly RunRecord[]): string[] {
  const runs = new Set(Object.values(findings).flatMap((list) => list.map(({ run }) => run)))
  return records.filter(({ index }) => runs.has(index)).flatMap(({ payoutId }) => payoutId ?? [])
}

/** The three who waited longest for their last word, and what befell them. */
function slowest(participants: readonly Participant[], begunAt: number): string[] {
  const ends = participants.map(({ plan, record }) => {
    const answers = record.calls.flatMap(({ answers }) => answers)
    const atMs = Math.max(begunAt, ...answers.map(({ atMs }) => atMs)) - begunAt
    return { plan, atMs, asked: answers.length, last: record.calls.at(-1)?.operation }
  })
  const latest = ends.sort((a, b) => b.atMs - a.atMs).slice(0, 3)
  return latest.map(({ plan, atMs, asked, last }) => {
    const befell = [
      plan.fault,
      plan.activityFault &&
        `${plan.activityFault.action} ${plan.activityFault.boundary} ${plan.activityFault.activity}`,
    ]
    return `run ${plan.index} ended ${(atMs / 1000).toFixed(1)} s after ${asked} answers with ${last}: ${befell.filter(Boolean).join(', ') || 'nothing befell it'}${plan.pays ? ', paid' : ''}`
  })
}
