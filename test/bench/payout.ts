import { median, round, type Spread, show, spread } from './figures.ts'
import { type Rig, type Round, runRound, type Who } from './rig.ts'

export type Sizes = { rounds: number; counts: Record<number, number> }
export type PayoutLevel = {
  callers: number
  ratio_to_floor: Spread
  ratio_to_bare_floor: Spread
  create_p50_ratio: Spread
  per_second: Record<Who, Spread>
  p50_ms: Record<Who, Spread>
  cpu_ms_per_payout: Record<Who, Record<string, number>>
  commits_per_payout: Record<Who, number>
  repeats: number
}

const everyone: readonly Who[] = ['rail', 'floor', 'bare floor']

/** Rail and floor in turn, so that drift of the machine meets both; each round of the rail is compared with its neighbours. */
export async function measurePayouts(rig: Rig, { rounds, counts }: Sizes): Promise<PayoutLevel[]> {
  const levels: PayoutLevel[] = []
  for (const callers of Object.keys(counts).map(Number)) {
    const taken: Record<Who, Round[]> = { rail: [], floor: [], 'bare floor': [] }
    for (let turn = 0; turn < rounds; turn += 1) {
      for (const who of everyone) {
        taken[who].push(await runRound(rig, { who, callers, count: counts[callers] ?? callers }))
      }
    }
    levels.push(summary(callers, taken))
  }
  return levels
}

function summary(callers: number, taken: Record<Who, Round[]>): PayoutLevel {
  const each = <T>(of: (rounds: Round[]) => T) =>
    Object.fromEntries(everyone.map((who) => [who, of(taken[who])])) as Record<Who, T>
  const against = (other: Who, figure: (mine: Round, theirs: Round) => number) =>
    spread(taken.rail.map((mine, turn) => figure(mine, taken[other][turn] as Round)))
  const rate = (mine: Round, theirs: Round) => mine.perSecond / theirs.perSecond
  return {
    callers,
    ratio_to_floor: against('floor', rate),
    ratio_to_bare_floor: against('bare floor', rate),
    create_p50_ratio: against('floor', (mine, theirs) => createMs(mine) / createMs(theirs)),
    per_second: each((rounds) => spread(rounds.map(({ perSecond }) => perSecond))),
    p50_ms: each((rounds) => spread(rounds.map(({ run }) => median(run.times['whole'] ?? [])))),
    cpu_ms_per_payout: each(cpuOf),
    commits_per_payout: each((rounds) => round(median(rounds.map(({ commits }) => commits)))),
    repeats: taken.rail.reduce((sum, { run }) => sum + run.repeats, 0),
  }
}

/** The rail's create by HTTP; the floor's writes and its Update-with-Start, which together do the same. */
export function createMs({ who, run: { times } }: Round): number {
  if (who === 'rail') return median(times['create'] ?? [])
  const [before = [], call = []] = [times['create: writes before'], times['create: update with start']]
  return median(before) + median(call)
}

function cpuOf(rounds: readonly Round[]): Record<string, number> {
  const names = Object.keys(rounds[0]?.cpuMs ?? {})
  const medians = names.map((name) => [name, median(rounds.map(({ cpuMs }) => cpuMs[name] ?? 0))] as const)
  const used = medians.filter(([, ms]) => ms >= 0.05).map(([name, ms]) => [name, round(ms)] as const)
  return { ...Object.fromEntries(used), all: round(medians.reduce((sum, [, ms]) => sum + ms, 0)) }
}

export function printPayouts(levels: readonly PayoutLevel[]): void {
  console.log('\nPayouts: three durable calls, until the signed transfer is stored. median (min–max)')
  console.table(
    levels.map(({ callers, per_second, ratio_to_floor, ratio_to_bare_floor, create_p50_ratio, repeats }) => ({
      callers,
      'rail /s': show(per_second.rail),
      'floor /s': show(per_second.floor),
      'bare floor /s': show(per_second['bare floor']),
      'rail ÷ floor': show(ratio_to_floor),
      'rail ÷ bare floor': show(ratio_to_bare_floor),
      'create p50 ÷': show(create_p50_ratio),
      repeats,
    })),
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
}
