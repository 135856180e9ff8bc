import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { measureBystander, printBystander } from './bystander.ts'
import { measureApart, printApart } from './chain.ts'
import { measureFairness, printFairness } from './fairness.ts'
import { everyone, type Fixture, openFixture, runRound, transfersApart } from './fixture.ts'
import { measureGrowth, printGrowth } from './growth.ts'
import { measureHostile, printHostile } from './hostile.ts'
import { measureLog, printLog } from './log.ts'
import { measureLogDelay } from './log-delay.ts'
import { measureMcp, printMcp } from './mcp.ts'
import { measureMemory, printMemory } from './memory.ts'
import { at, measurePayouts, printPayouts } from './payout.ts'
import { printProfiles } from './profile.ts'
import { measureRows, printRows } from './rows.ts'
import { createSizing } from './sizing.ts'
import { measureStatus, printStatus } from './status.ts'
import { measureTasks, printTasks } from './tasks.ts'
import { findWhere, printWhere } from './where.ts'

const sections = [
  'apart',
  'payout',
  'where',
  'status',
  'memory',
  'growth',
  'hostile',
  'bystander',
  'tasks',
  'mcp',
  'log',
] as const
const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    profile: { type: 'string' },
    leaves: { type: 'string', default: '1000000' },
  },
})
const { quick, only, profile } = options
if (only !== undefined && !sections.some((section) => section === only))
  throw new Error(`--only takes one of ${sections.join(', ')}`)

const LEVELS = [1, 8, 32, 128]
/** The levels that the aims are about: of payouts a second, and of the time of a create. */
const [AIMED, ALONE] = [32, 1]
/** Too long for `--quick`, which measures it only by its name. */
const LONG: readonly string[] = ['apart', 'where', 'memory', 'tasks', 'log']

const begun = performance.now()
// These need no other part of the service.
if (only === 'log') write({ log: await measureLogAlone() })
else if (only === 'bystander') write({ bystander: await measureBystanderAlone() })
else await measureStack()
console.log(`\nbench.json is written; ${Math.round((performance.now() - begun) / 1000)} s`)

async function measureStack(): Promise<void> {
  const fixture = await openFixture(profile)
  try {
    write(await measureAll(fixture))
  } catch (error) {
    for (const [name, log] of Object.entries(fixture.stack.logs()))
      console.error(`\n${name}: … ${log.slice(-4_000)}`)
    throw error
  } finally {
    await fixture.stop()
  }
  if (profile !== undefined) printProfiles(profile)
}

async function measureLogAlone() {
  return printLog(await measureLog(Number(options.leaves), quick ? 5_000 : 20_000))
}

async function measureBystanderAlone() {
  return printBystander(await measureBystander(quick ? 5 : 15))
}

function write(figures: Record<string, unknown>): void {
  writeFileSync('bench.json', `${JSON.stringify({ ...about(), ...figures }, null, 2)}\n`)
}

/** Each section in its turn, printed as soon as it is there. */
async function measureAll(fixture: Fixture): Promise<Record<string, unknown>> {
  const upTo = (seconds: number) =>
    quick ? { most: 2, seconds } : { most: 5, seconds: 10 * seconds }
  const wanted = (section: (typeof sections)[number]) => {
    const is = only === undefined ? !(quick && LONG.includes(section)) : only === section
    if (is)
      console.error(`${section}: begun after ${Math.round((performance.now() - begun) / 1000)} s`)
    return is
  }
  const figures: Record<string, unknown> = {}
  const sizing = createSizing(quick ? 2 : 8, quick ? 1 : 4)
  if (only !== 'tasks') await warmUp(fixture)
  if (wanted('apart')) {
    figures['apart'] = printApart(
      await measureApart(fixture, quick ? { 1: 4, 8: 16 } : { 1: 20, 8: 64, 32: 160 }),
    )
  }
  if (wanted('payout')) {
    const turns = quick ? { most: 2, seconds: 60 } : { most: 9, seconds: 700 }
    const again = [ALONE, AIMED]
    const levels = printPayouts(
      await measurePayouts(fixture, { ...turns, levels: LEVELS, again, sizing }),
    )
    const aimed = at(levels, AIMED)
    const {
      ratio_to_baseline,
      ratio_to_bare_baseline,
      ratio_to_http_baseline,
      http_baseline_to_baseline,
    } = aimed
    figures['payout'] = {
      ratio_to_baseline,
      ratio_to_bare_baseline,
      ratio_to_http_baseline,
      http_baseline_to_baseline,
      levels,
    }
    figures['create'] = { p50_ratio: at(levels, ALONE).create_p50_ratio }
    figures['log_delay'] = await measureLogDelay(fixture.rail)
  }
  if (wanted('where')) figures['where'] = printWhere(await findWhere(fixture))
  if (wanted('status')) {
    const levels = printStatus(
      await measureStatus(fixture, { ...upTo(15), levels: LEVELS, sizing }),
    )
    figures['status'] = { ratio: at(levels, AIMED).ratio, levels }
  }
  if (wanted('memory'))
    figures['memory'] = printMemory(await measureMemory(fixture, quick ? 2_000 : 20_000))
  if (wanted('growth')) {
    const [sliced, seconds] = quick
      ? [{ count: 12, slices: 4 }, 15]
      : [{ count: 60, slices: 8 }, 25]
    const growth = printGrowth(await measureGrowth(fixture, { ...upTo(seconds), ...sliced }))
    const [worst] = Object.values(growth).sort(
      (one, other) => other.ratio.median - one.ratio.median,
    )
    figures['growth'] = { p50_ratio: worst?.ratio, ...growth }
  }
  if (wanted('hostile'))
    figures['hostile'] = printHostile(
      await measureHostile(fixture.stack.baseUrls[0] ?? '', quick ? 5 : 20),
    )
  if (wanted('bystander')) figures['bystander'] = await measureBystanderAlone()
  if (wanted('tasks')) {
    const { csv, jsonl } = printRows(await measureRows(fixture, quick ? 100_000 : 1_000_000))
    figures['rows'] = { csv, jsonl }
    const { ratio_to_baseline, ...tasks } = printTasks(
      await measureTasks(fixture, { ...upTo(10), count: quick ? 40 : 200 }),
    )
    figures['tasks'] = { ratio_to_baseline, ...tasks }
    // The queue continues after the last measurement.
    const { delay_ratio, ...fairness } = printFairness(
      await measureFairness(fixture, quick ? 100 : 1_000),
    )
    figures['fairness'] = { delay_ratio, ...fairness }
  }
  if (wanted('mcp'))
    figures['mcp'] = printMcp(await measureMcp(fixture, { ...upTo(20), pairs: quick ? 16 : 64 }))
  if (wanted('log')) figures['log'] = await measureLogAlone()
  return figures
}

/** Compilers and caches are warm before anything counts. */
async function warmUp(fixture: Fixture): Promise<void> {
  const stop = await fixture.serveTransfers()
  for (const who of everyone) await runRound(fixture, { who, callers: 16, count: quick ? 32 : 320 })
  await stop()
}

function about(): Record<string, unknown> {
  const [cpu] = cpus()
  const machine = { cpus: cpus().length, model: cpu?.model, node: process.version }
  return { taken_at: new Date().toISOString(), quick, machine, chain_in_payout: !transfersApart }
}
