import { cpuOf, median, percentile, type Run, round, type Spread, show, spread } from './figures.ts'
import { type Fixture, observed } from './fixture.ts'
import { type Seed, seedPayouts } from './seed-rows.ts'
import { type Sizing, type Turns, turns } from './sizing.ts'

/** What is left of a wallet's ten free calls after the three of its seeded payout. */
const READS_PER_WALLET = 7

export type StatusLevel = {
  callers: number
  ratio: Spread
  per_second: { rail: Spread; bare: Spread }
  p50_ms: { rail: Spread; bare: Spread }
  cpu_ms_per_call: { rail: Record<string, number>; bare: Record<string, number> }
  p99_ms: number
}
export type StatusRun = { run: Run; perSecond: number; cpuMs: Record<string, number> }

/** payout-status against bare Express and pg, in turn. */
export async function measureStatus(
  fixture: Fixture,
  { levels, sizing, ...asked }: Turns & { levels: readonly number[]; sizing: Sizing },
): Promise<StatusLevel[]> {
  const taken = levels.map((callers) => ({
    callers,
    rail: [] as StatusRun[],
    bare: [] as StatusRun[],
  }))
  for (const _ of turns(asked)) {
    for (const { callers, rail, bare } of taken) {
      const [calls, bareCalls] = [
        sizing.count('status', callers),
        sizing.count('bare status', callers),
      ]
      rail.push(await readStatus(fixture, callers, calls))
      bare.push(await readBareStatus(fixture, callers, bareCalls))
      sizing.saw('status', callers, rail.at(-1)?.perSecond ?? 0)
      sizing.saw('bare status', callers, bare.at(-1)?.perSecond ?? 0)
    }
  }
  return taken.map(({ callers, rail, bare }) => ({
    callers,
    ratio: spread(
      rail.map(({ perSecond }, turn) => perSecond / (bare[turn]?.perSecond ?? Number.NaN)),
    ),
    per_second: { rail: rates(rail), bare: rates(bare) },
    p50_ms: { rail: p50(rail), bare: p50(bare) },
    cpu_ms_per_call: { rail: cpuOf(rail), bare: cpuOf(bare) },
    p99_ms: round(
      percentile(
        rail.flatMap(({ run }) => run.times['whole'] ?? []),
        0.99,
      ),
    ),
  }))
}

/** Reads of seeded payouts by their wallets; the wallets and their proofs are made before the clock runs. */
export async function readStatus(
  fixture: Fixture,
  callers: number,
  calls: number,
): Promise<StatusRun> {
  await seedWallets(fixture, calls)
  await fixture.load.ask('prepareStatus', READS_PER_WALLET)
  return read(fixture, callers)
}

export async function readBareStatus(
  fixture: Fixture,
  callers: number,
  calls: number,
): Promise<StatusRun> {
  await seedWallets(fixture, calls)
  await fixture.load.ask('prepareBareStatus', {
    perWallet: READS_PER_WALLET,
    url: fixture.bareStatusUrl,
  })
  return read(fixture, callers)
}

async function seedWallets(
  { load, rail, baseline, payoutWallet }: Fixture,
  calls: number,
): Promise<void> {
  const seeds = await load.ask<Seed[]>('newWallets', Math.ceil(calls / READS_PER_WALLET))
  for (const pool of [rail, baseline]) await seedPayouts(pool, payoutWallet, seeds)
}

async function read(fixture: Fixture, callers: number): Promise<StatusRun> {
  const { run, cpuMs } = await observed(fixture, () => fixture.load.ask<Run>('runCalls', callers))
  return { run, perSecond: run.count / run.seconds, cpuMs }
}

const rates = (runs: readonly StatusRun[]) => spread(runs.map(({ perSecond }) => perSecond))
const p50 = (runs: readonly StatusRun[]) =>
  spread(runs.map(({ run }) => median(run.times['whole'] ?? [])))

export function printStatus(levels: StatusLevel[]): StatusLevel[] {
  console.log(
    '\npayout-status against bare Express and pg: one commit and one secp256k1 verification. median (min–max)',
  )
  console.table(
    levels.map(({ callers, per_second, p50_ms, p99_ms, ratio }) => ({
      callers,
      'rail /s': show(per_second.rail),
      'bare /s': show(per_second.bare),
      'rail ÷ bare': show(ratio),
      'rail p50 ms': show(p50_ms.rail),
      'rail p99 ms': p99_ms,
      'bare p50 ms': show(p50_ms.bare),
    })),
  )
  console.log('Milliseconds of processor time by process for one call')
  console.table(
    levels.flatMap(({ callers, cpu_ms_per_call }) => [
      { callers, who: 'rail', ...cpu_ms_per_call.rail },
      { callers, who: 'bare', ...cpu_ms_per_call.bare },
    ]),
  )
  return levels
}
