import { randomBytes } from 'node:crypto'
import { payoutId } from '#domain/core/ids.ts'
import { median, type Spread, show, spread } from './figures.ts'
import { type Fixture, runRound } from './fixture.ts'
import { createMs } from './payout.ts'
import { emptyTables, seedPayouts } from './seed-rows.ts'
import { type Turns, turns } from './sizing.ts'
import { readBareStatus, readStatus } from './status.ts'

const FEW = 100
const MANY = 20_000

type Figure = 'create' | 'status' | 'execute' | 'baseline create' | 'bare status'
type P50 = Record<Figure, number>
type Grown = { before_ms: Spread; after_ms: Spread; ratio: Spread; uncorrected: Spread }
export type Growth = Record<'create' | 'execute' | 'status', Grown>

/** What shows how the machine drifted meanwhile: the same calls of the baseline, whose tables stay small. */
const references = {
  create: 'baseline create',
  execute: 'baseline create',
  status: 'bare status',
} as const
/** Of each p50: how many subjects, and how often rail and reference alternate meanwhile. */
type Sliced = { count: number; slices: number }

/** p50 at one caller over 100 and over 20,000 finished payouts, in turn; ratios are corrected by what the baseline's did meanwhile. */
export async function measureGrowth(
  fixture: Fixture,
  { count, slices, ...asked }: Turns & Sliced,
): Promise<Growth> {
  const pairs: { before: P50; after: P50 }[] = []
  for (const _ of turns(asked)) {
    await emptyTables(fixture.rail)
    await seedMany(fixture, FEW)
    const before = await p50s(fixture, { count, slices })
    await seedMany(fixture, MANY - FEW)
    pairs.push({ before, after: await p50s(fixture, { count, slices }) })
  }
  const grown = (figure: keyof typeof references): Grown => {
    const ratio = ({ before, after }: { before: P50; after: P50 }, of: Figure) =>
      after[of] / before[of]
    return {
      before_ms: spread(pairs.map(({ before }) => before[figure])),
      after_ms: spread(pairs.map(({ after }) => after[figure])),
      ratio: spread(pairs.map((pair) => ratio(pair, figure) / ratio(pair, references[figure]))),
      uncorrected: spread(pairs.map((pair) => ratio(pair, figure))),
    }
  }
  return { create: grown('create'), execute: grown('execute'), status: grown('status') }
}

async function p50s(fixture: Fixture, { count, slices }: Sliced): Promise<P50> {
  const seen: Record<Figure, number[]> = {
    create: [],
    status: [],
    execute: [],
    'baseline create': [],
    'bare status': [],
  }
  for (let slice = 0; slice < slices; slice += 1) {
    const size = { callers: 1, count: Math.ceil(count / slices) }
    const { times } = (await runRound(fixture, { who: 'rail', ...size })).run
    seen.create.push(...(times['create'] ?? []))
    seen.execute.push(...(times['execute'] ?? []))
    seen['baseline create'].push(createMs(await runRound(fixture, { who: 'baseline', ...size })))
    seen.status.push(...((await readStatus(fixture, 1, size.count * 4)).run.times['whole'] ?? []))
    seen['bare status'].push(
      ...((await readBareStatus(fixture, 1, size.count * 4)).run.times['whole'] ?? []),
    )
  }
  return Object.fromEntries(
    Object.entries(seen).map(([figure, times]) => [figure, median(times)]),
  ) as P50
}

async function seedMany({ rail, payoutWallet }: Fixture, count: number): Promise<void> {
  const creators = Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`)
  const seeds = creators.map((creator) => ({ creator, payoutId: payoutId(creator, 'bench') }))
  await seedPayouts(rail, payoutWallet, seeds)
  // What the rows have left to be written to disk is no time of who is measured next.
  await rail.query('checkpoint')
}

export function printGrowth(growth: Growth): Growth {
  console.log(`\np50 at one caller over ${FEW} and over ${MANY} finished payouts. median (min–max)`)
  console.table(
    Object.entries(growth).map(([what, { before_ms, after_ms, ratio, uncorrected }]) => ({
      what,
      [`ms at ${FEW}`]: show(before_ms),
      [`ms at ${MANY}`]: show(after_ms),
      ratio: show(ratio),
      'without the drift taken out': show(uncorrected),
    })),
  )
  return growth
}
