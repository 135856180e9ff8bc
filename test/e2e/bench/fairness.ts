import { type Buyer, closed, openBuyer } from './buyers.ts'
import { median, round, type Spread, show, spread } from './figures.ts'
import type { Fixture } from './fixture.ts'

export type Fairness = {
  /** Runs of the other agent that waited in their queue before the delayed ones, and after them. */
  queued: { before: number; after: number }
  /** A run from its call until its task is closed. */
  idle_s: Spread
  delayed_s: Spread
  /** How much longer it takes, by the time that it takes alone. */
  delay_ratio: number
}

const SINGLE_RUNS = 10
const STARTED_TOGETHER = 16

/** Single runs of one agent, one after the other: alone, and while another agent has so many in its queue. */
export async function measureFairness(fixture: Fixture, queued: number): Promise<Fairness> {
  const [single, crowd] = [await openBuyer(fixture), await openBuyer(fixture)]
  await secondsOf(fixture, single)
  const idle = await singles(fixture, single)
  // Some end meanwhile, so it takes more than are to wait.
  let before = 0
  for (; before < queued; before = await countQueued(fixture))
    await Promise.all(Array.from({ length: STARTED_TOGETHER }, crowd))
  const delayed = await singles(fixture, single)
  return {
    queued: { before, after: await countQueued(fixture) },
    idle_s: spread(idle),
    delayed_s: spread(delayed),
    delay_ratio: round(median(delayed) / median(idle) - 1),
  }
}

async function singles(fixture: Fixture, start: Buyer): Promise<number[]> {
  const seconds: number[] = []
  while (seconds.length < SINGLE_RUNS) seconds.push(await secondsOf(fixture, start))
  return seconds
}

async function secondsOf(fixture: Fixture, start: Buyer): Promise<number> {
  const begun = performance.now()
  const { task_id } = await start()
  await closed(fixture, [task_id])
  return (performance.now() - begun) / 1000
}

async function countQueued({ rail }: Fixture): Promise<number> {
  const { rows } = await rail.query<{ queued: number }>(
    `select count(*)::int as queued from tasks where state = 'queued'`,
  )
  return rows[0]?.queued ?? 0
}

export function printFairness(fairness: Fairness): Fairness {
  const { queued, idle_s, delayed_s, delay_ratio } = fairness
  console.log(
    `\nAn agent's single run: ${show(idle_s)} s alone, ${show(delayed_s)} s while ${queued.before} to ${queued.after} runs of another wait: a delay of ${delay_ratio} times the first`,
  )
  return fairness
}
