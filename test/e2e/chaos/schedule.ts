import { type Random, seededRandom } from './random.ts'

/** An execution has at most about this many statements; its last ones are those of the commit. */
const STATEMENTS_MAX = 16

type Boundary = 'before' | 'during' | 'after'
export type Action = 'throw' | 'hang' | 'kill' | 'pass'

/** One fault at one boundary of an activity; `during` strikes at its `request`-th statement or question to the chain. */
export type ActivityFault = {
  activity: string
  boundary: Boundary
  action: Action
  /** At which execution of this activity for the run it strikes first; until it has struck it is tried at each later one. */
  occurrence: number
  request: number
  effect: 'unsent' | 'done'
}

/** What befalls one run's own transfer or payment, at the wire to the chain or on it. */
export const runFaults = [
  'rpc times out after accepting',
  'rpc answers 500',
  'rpc cuts the connection',
  'rpc drops the transaction',
  'rpc says already known',
  'rpc says nonce too low',
  'rpc says replacement underpriced',
  'rpc hides the receipt',
  'rpc denies the use',
  'rpc forges the receipt',
  'transaction replaced',
  'authorization front-run',
  'authorization front-run in a batch',
  'authorization cancelled',
  'nonce spent on nothing',
  'expiry while pending',
  'facilitator times out after settling',
] as const
export type RunFault = (typeof runFaults)[number]

/** What befalls everybody in a batch, one after the other. */
export const batchFaults = [
  'api killed',
  'second api killed',
  'worker killed',
  'second worker killed',
  'temporal killed',
  'postgres killed',
  'chain killed',
  'postgres stopped',
  'postgres slow',
  'postgres resets connections',
  'temporal stopped',
  'rpc serves stale heads',
  'rpc down',
  'reorg',
  'gas wallets empty',
  'payout wallet empty',
  'token paused',
  'worker clock 10 minutes fast',
  'worker clock 10 minutes slow',
  'temporal killed before a result',
  'temporal loses its data',
  'postgres refuses connections',
  'postgres has no connection left',
  'rpc has no receipts',
  'rpc answers ten blocks of logs',
] as const
export type BatchFault = (typeof batchFaults)[number]

/** How one run's caller behaves and what befalls it. */
export type RunPlan = {
  index: number
  startMs: number
  amountAtomic: number
  pays: boolean
  /** Sends each call to both API processes at once. */
  twice: boolean
  /** Hangs up on the first attempt at each call after so many milliseconds, and asks again. */
  hangsUpMs: number | null
  /** Is gone once its execute is acknowledged, so that nothing but the service carries the transfer on. */
  leaves: boolean
  fault: RunFault | null
  activityFault: ActivityFault | null
}
export type BatchEvent = { atMs: number; fault: BatchFault; forMs: number }
export type BatchPlan = {
  batch: number
  runs: RunPlan[]
  events: BatchEvent[]
  /** Amounts that come to more than the daily cap together, so that it refuses some. */
  overCap: boolean
}

/** Whether a batch settles payments through a facilitator elsewhere, instead of the workers' own. */
export const usesRemoteFacilitator = (batch: number): boolean => batch % 2 === 1

/** Whether a batch's transfers are signed by a process of its own, instead of by the workers in the step that reserves them. */
export const signsApart = (batch: number): boolean => batch % 4 === 0 || batch % 4 === 3

/** It needs a step that ends, and callers begin none in the last quarter of the schedule. */
const WHILE_STEPS_END: BatchFault = 'temporal killed before a result'

/** Indexes of runs that are added during a batch begin behind those of all batches. */
const LATE_RUNS = 1_000_000
const EVENT_EVERY_MS = 2_200
const FIRST_EVENT_MS = 1_500
const paymentActivities = /Payment$/

/** The schedule of one batch: every boundary of every activity, every fault of a run and every fault of a batch are dealt in turn. */
export function planBatch(
  seed: number,
  batch: number,
  first: number,
  size: number,
  activities: readonly string[],
): BatchPlan {
  const random = seededRandom(seed, `batch ${batch}`)
  const events = planEvents(random)
  const lastsMs = (events.at(-1)?.atMs ?? 0) + EVENT_EVERY_MS
  const faults = deal(random, [...runFaults, null, null, null], size)
  const activityFaults = planActivityFaults(random, batch, size, activities)
  const overCap = batch % 4 === 3
  const leaving = seededRandom(seed, `who leaves batch ${batch}`)
  const runs = Array.from({ length: size }, (_, offset): RunPlan => {
    const fault = faults[offset] ?? null
    const activityFault = activityFaults[offset] ?? null
    return {
      index: first + offset,
      startMs: Math.floor((offset * lastsMs * 0.75) / size),
      amountAtomic: overCap ? random.between(20, 40) * 100_000 : random.between(1, 10) * 10_000,
      pays:
        fault === 'facilitator times out after settling' ||
        (activityFault !== null && paymentActivities.test(activityFault.activity)) ||
        random.chance(0.1),
      twice: random.chance(0.2),
      hangsUpMs: random.chance(0.3) ? random.between(5, 400) : null,
      leaves: leaving.chance(0.25),
      fault,
      activityFault,
    }
  })
  return { batch, runs, events, overCap }
}

/** A further run for each fault of a run that has struck in none so far, since others came before it. */
export function runsOfMissed(
  runs: readonly RunPlan[],
  struck: Readonly<Record<string, number>>,
): RunPlan[] {
  const dealt = runFaults.filter((kind) => runs.some(({ fault }) => fault === kind))
  return dealt
    .filter((fault) => struck[fault] === undefined)
    .map((fault, order) => ({
      index: LATE_RUNS + order,
      startMs: 0,
      amountAtomic: 10_000,
      pays: fault === 'facilitator times out after settling',
      twice: false,
      hangsUpMs: null,
      leaves: false,
      fault,
      activityFault: null,
    }))
}

/** What is printed of a run's plan, so that a failing run can be read without its seed. */
export function describeRun(run: RunPlan, events: readonly BatchEvent[]): string[] {
  const { activityFault: step, fault, pays, twice, hangsUpMs, leaves } = run
  const at =
    step?.boundary === 'during'
      ? `during request ${step.request} (${step.effect}) of`
      : step?.boundary
  return [
    `starts at ${run.startMs} ms${pays ? ', pays by x402' : ''}${twice ? ', sends everything twice' : ''}`,
    ...(hangsUpMs === null ? [] : [`hangs up after ${hangsUpMs} ms`]),
    ...(leaves ? ['leaves once its execute is acknowledged'] : []),
    ...(step === null
      ? []
      : [`${step.action} ${at} ${step.activity}, from execution ${step.occurrence} on`]),
    ...(fault === null ? [] : [fault]),
    ...events.map((event) => `${event.atMs} ms: ${event.fault} for ${event.forMs} ms`),
  ]
}

function planEvents(random: Random): BatchEvent[] {
  const faults = random.shuffled(batchFaults.filter((fault) => fault !== WHILE_STEPS_END))
  faults.splice(random.between(1, Math.floor(faults.length / 2)), 0, WHILE_STEPS_END)
  return faults.map((fault, order) => ({
    atMs: FIRST_EVENT_MS + order * EVENT_EVERY_MS,
    fault,
    forMs: random.between(300, 1_800),
  }))
}

const actions: Action[] = ['throw', 'hang', 'throw', 'kill', 'throw', 'hang']

/** A fault at each statement of one activity, before and after its effect. */
const sweep = (activity: string, batch: number, size: number): ActivityFault[] =>
  Array.from({ length: size }, (_, order) => ({
    activity,
    boundary: 'during',
    action: actions[(Math.floor(order / 2) + batch) % actions.length] as Action,
    occurrence: 1,
    request: 1 + (Math.floor(order / 2) % STATEMENTS_MAX),
    effect: order % 2 === 0 ? 'unsent' : 'done',
  }))

/** A fault at each boundary of each activity, as often as the runs allow; the batches take turns with what is done there. */
function planActivityFaults(
  random: Random,
  batch: number,
  size: number,
  activities: readonly string[],
): ActivityFault[] {
  const [only, ...others] = activities
  if (only !== undefined && others.length === 0) return sweep(only, batch, size)
  const boundaries: Boundary[] = ['before', 'during', 'after']
  const cells = activities.flatMap((activity) =>
    boundaries.map((boundary) => ({ activity, boundary })),
  )
  return deal(random, cells, size).map((cell, order) => ({
    ...cell,
    action: actions[(order + batch) % actions.length] as Action,
    // The first deck strikes where every execution passes; those behind it look further.
    occurrence: order < cells.length ? 1 : random.between(1, 2),
    request: order < cells.length ? random.between(1, 2) : random.between(1, STATEMENTS_MAX),
    effect: random.pick(['unsent', 'done'] as const),
  }))
}

/** `count` cards from shuffled decks, one deck after the other. */
function deal<T>(random: Random, deck: readonly T[], count: number): T[] {
  const dealt: T[] = []
  while (dealt.length < count) dealt.push(...random.shuffled(deck))
  return dealt.slice(0, count)
}
