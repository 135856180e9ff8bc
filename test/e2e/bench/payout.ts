import { cpuOf, median, percentile, round, type Spread, show, spread } from './figures.ts'
import { everyone, type Fixture, type Round, runRound, type Who } from './fixture.ts'
import { type Sizing, type Turns, turns } from './sizing.ts'

type Step = { step: string; callers: number; 'p50 ms': number; 'p99 ms': number }
export type PayoutLevel = {
  callers: number
  ratio_to_baseline: Spread
  ratio_to_bare_baseline: Spread
  /** What HTTP and one signature for each call leave of the baseline, and how near the rail comes to that. */
  http_baseline_to_baseline: Spread
  ratio_to_http_baseline: Spread
  cpu_ratio_to_baseline: Spread
  create_p50_ratio: Spread
  per_second: Record<Who, Spread>
  p50_ms: Record<Who, Spread>
  cpu_ms_per_payout: Record<Who, Record<string, number>>
  commits_per_payout: Record<Who, number>
  steps: Step[]
  repeats: number
}

/** Payouts that do not count; a pool has half as many connections. */
const LEAD_IN_MAX = 32

/** What the aim compares; the others show the rest, and are measured once. */
const compared: readonly Who[] = ['rail', 'baseline']

/**
 * Rail and baseline in turn, each time in the other order, so that drift of the machine and what one leaves behind meet both; each round of the
 * rail is compared with its neighbour. After the first turn only the levels of `again` are measured.
 */
export async function measurePayouts(
  fixture: Fixture,
  {
    levels,
    again,
    sizing,
    ...asked
  }: Turns & { levels: readonly number[]; again: readonly number[]; sizing: Sizing },
): Promise<PayoutLevel[]> {
  const none = () =>
    Object.fromEntries(everyone.map((who) => [who, []])) as unknown as Record<Who, Round[]>
  const taken = levels.map((callers) => ({ callers, rounds: none() }))
  for (const turn of turns(asked)) {
    const subjects = turn === 0 ? everyone : compared
    const ordered = turn % 2 === 0 ? subjects : subjects.toReversed()
    for (const { callers, rounds } of taken.filter(
      (level) => turn === 0 || again.includes(level.callers),
    )) {
      for (const who of ordered) {
        // A system that was idle for a minute has lost its connections to Postgres; under load none does.
        const few = Math.min(callers, LEAD_IN_MAX)
        await runRound(fixture, { who, callers: few, count: few })
        const round = await runRound(fixture, { who, callers, count: sizing.count(who, callers) })
        sizing.saw(who, callers, round.perSecond)
        rounds[who].push(round)
        console.error(
          `turn ${turn + 1}, ${callers} callers: ${who} ${round.perSecond.toFixed(1)} payouts/s`,
        )
      }
    }
  }
  return taken.map(({ callers, rounds }) => summary(callers, rounds))
}

function summary(callers: number, taken: Record<Who, Round[]>): PayoutLevel {
  const each = <T>(of: (rounds: Round[]) => T) =>
    Object.fromEntries(everyone.map((who) => [who, of(taken[who])])) as Record<Who, T>
  const against = (other: Who, figure: (mine: Round, theirs: Round) => number, who: Who = 'rail') =>
    spread(
      taken[who]
        .slice(0, taken[other].length)
        .map((mine, turn) => figure(mine, taken[other][turn] as Round)),
    )
  const rate = (mine: Round, theirs: Round) => mine.perSecond / theirs.perSecond
  return {
    callers,
    ratio_to_baseline: against('baseline', rate),
    ratio_to_bare_baseline: against('bare baseline', rate),
    http_baseline_to_baseline: against('baseline', rate, 'baseline over HTTP'),
    ratio_to_http_baseline: against('baseline over HTTP', rate),
    cpu_ratio_to_baseline: against('baseline', (mine, theirs) => cpuMs(mine) / cpuMs(theirs)),
    create_p50_ratio: against('baseline', (mine, theirs) => createMs(mine) / createMs(theirs)),
    per_second: each((rounds) => spread(rounds.map(({ perSecond }) => perSecond))),
    p50_ms: each((rounds) => spread(rounds.map(({ run }) => median(run.times['whole'] ?? [])))),
    cpu_ms_per_payout: each(cpuOf),
    commits_per_payout: each((rounds) => round(median(rounds.map(({ commits }) => commits)))),
    steps: stepsOf(callers, taken.rail),
    repeats: taken.rail.reduce((sum, { run }) => sum + run.repeats, 0),
  }
}

/** The rail's create by HTTP; the baseline's writes and its Update-with-Start, which together do the same. */
export function createMs({ who, run: { times } }: Round): number {
  if (who === 'rail') return median(times['create'] ?? [])
  const [before = [], call = []] = [
    times['create: writes before'],
    times['create: update with start'],
  ]
  return median(before) + median(call)
}

function stepsOf(callers: number, rounds: readonly Round[]): Step[] {
  return ['create', 'authorize', 'execute', 'execute until signed', 'whole'].map((step) => {
    const times = rounds.flatMap(({ run }) => run.times[step] ?? [])
    return {
      step,
      callers,
      'p50 ms': round(median(times)),
      'p99 ms': round(percentile(times, 0.99)),
    }
  })
}

const cpuMs = (of: Round): number => cpuOf([of])['all'] ?? Number.NaN

/** The level of so many callers. */
export function at<L extends { callers: number }>(levels: readonly L[], callers: number): L {
  const level = levels.find((each) => each.callers === callers)
  if (level === undefined) throw new Error(`nothing was measured at ${callers} callers`)
  return level
}

export function printPayouts(levels: PayoutLevel[]): PayoutLevel[] {
  console.log(
    '\nPayouts: three durable calls, until the signed transfer is stored. median (min–max)',
  )
  console.table(
    levels.map(
      ({
        callers,
        per_second,
        ratio_to_baseline,
        ratio_to_bare_baseline,
        http_baseline_to_baseline,
        ratio_to_http_baseline,
        cpu_ratio_to_baseline,
        create_p50_ratio,
        repeats,
      }) => ({
        callers,
        'rail /s': show(per_second.rail),
        'baseline /s': show(per_second.baseline),
        'bare baseline /s': show(per_second['bare baseline']),
        'over HTTP /s': show(per_second['baseline over HTTP']),
        'rail ÷ baseline': show(ratio_to_baseline),
        'rail ÷ bare baseline': show(ratio_to_bare_baseline),
        'over HTTP ÷ baseline': show(http_baseline_to_baseline),
        'rail ÷ over HTTP': show(ratio_to_http_baseline),
        'cpu ÷ baseline': show(cpu_ratio_to_baseline),
        'create p50 ÷': show(create_p50_ratio),
        repeats,
      }),
    ),
  )
  console.log(
    'Milliseconds of a whole payout (p50), of processor time by process, and committed writes, each for one payout',
  )
  console.table(
    levels.flatMap(({ callers, p50_ms, cpu_ms_per_payout, commits_per_payout }) =>
      everyone.map((who) => ({
        callers,
        who,
        'p50 ms': show(p50_ms[who]),
        commits: commits_per_payout[who],
        ...cpu_ms_per_payout[who],
      })),
    ),
  )
  console.log('Steps of the rail')
  console.table(levels.flatMap(({ steps }) => steps))
  return levels
}
