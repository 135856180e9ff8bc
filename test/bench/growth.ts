import { randomBytes } from 'node:crypto'
import { payoutId } from '../../workflows/domain/ids.ts'
import { median, type Spread, show, spread } from './figures.ts'
import { createMs } from './payout.ts'
import { type Rig, runRound } from './rig.ts'
import { emptyTables, seedPayouts } from './seed-rows.ts'
import { readBareStatus, readStatus } from './status.ts'

const FEW = 100
const MANY = 20_000

export type Growth = Record<'create' | 'status' | 'execute' | 'unseeded floor create' | 'unseeded bare status', Grown>
type Grown = { before_ms: Spread; after_ms: Spread; ratio: Spread }
type P50 = Record<keyof Growth, number>

/** p50 at one caller over 100 and over 20,000 finished payouts, in turn; the floor's tables stay small and show the machine's drift. */
export async function measureGrowth(rig: Rig, { rounds, count }: { rounds: number; count: number }): Promise<Growth> {
  const before: P50[] = []
  const after: P50[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    await emptyTables(rig.rail)
    await seedMany(rig, FEW)
    before.push(await p50s(rig, count))
    await seedMany(rig, MANY - FEW)
    after.push(await p50s(rig, count))
  }
  const of = (figure: keyof Growth): Grown => ({
    before_ms: spread(before.map((p50) => p50[figure])),
    after_ms: spread(after.map((p50) => p50[figure])),
    ratio: spread(after.map((p50, turn) => p50[figure] / (before[turn]?.[figure] ?? Number.NaN))),
  })
  return {
    create: of('create'),
    status: of('status'),
    execute: of('execute'),
    'unseeded floor create': of('unseeded floor create'),
    'unseeded bare status': of('unseeded bare status'),
  }
}

async function p50s(rig: Rig, count: number): Promise<P50> {
  const rail = await runRound(rig, { who: 'rail', callers: 1, count })
  const floor = await runRound(rig, { who: 'floor', callers: 1, count })
  const status = await readStatus(rig, 1, count * 5)
  const bare = await readBareStatus(rig, 1, count * 5)
  return {
    create: createMs(rail),
    status: median(status.run.times['whole'] ?? []),
    execute: median(rail.run.times['execute'] ?? []),
    'unseeded floor create': createMs(floor),
    'unseeded bare status': median(bare.run.times['whole'] ?? []),
  }
}

async function seedMany({ rail, payoutWallet }: Rig, count: number): Promise<void> {
  const creators = Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`)
  const seeds = creators.map((creator) => ({ creator, payoutId: payoutId(creator, 'bench') }))
  await seedPayouts(rail, payoutWallet, seeds)
}

export function printGrowth(growth: Growth): Growth {
  console.log(`\np50 at one caller over ${FEW} and over ${MANY} finished payouts. median (min–max)`)
  console.table(
    Object.entries(growth).map(([what, { before_ms, after_ms, ratio }]) => ({
      what,
      [`ms at ${FEW}`]: show(before_ms),
      [`ms at ${MANY}`]: show(after_ms),
      ratio: show(ratio),
    })),
  )
  return growth
}
