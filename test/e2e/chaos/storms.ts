import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Finding, runStorm } from './storm.ts'

/** What is started, and for how long the parts are killed. */
const SIZE = { payouts: 40, runs: 16, customers: 6, lastsMs: 90_000 }
const QUIET_MS = 60_000

/** Storms of so many seeds, one line for each and one for all; the exit code is 1 when one of them left something. */
export async function storms({
  seed: first,
  seeds,
  apis,
  workers,
  log,
}: {
  seed: number
  seeds: number
  apis: number
  workers: number
  log: (text: string) => void
}): Promise<0 | 1> {
  const shape = { apis, workers, ...SIZE }
  const total: Record<Finding, number> = { duplicates: 0, lost: 0, disagreements: 0, stuck: 0 }
  for (let seed = first; seed < first + seeds; seed++) {
    const report = await runStorm({ seed, shape, quietMs: QUIET_MS, pace: 'clock', log })
    const { kills, doneAfterS, open } = report
    const held = open.map(({ id, state, code }) => `${id} ${state} ${code}`)
    console.log(JSON.stringify({ seed, kills, doneAfterS, held, violations: report.violations }))
    for (const { as } of report.violations) total[as] += 1
    if (report.violations.length === 0) continue
    const file = join(tmpdir(), `agent-rails-storm-${seed}-${apis}-${workers}.json`)
    writeFileSync(file, JSON.stringify(report, null, 1))
    log(`the evidence of storm ${seed} is in ${file}`)
  }
  console.log(JSON.stringify({ storms: seeds, seed: first, apis, workers, ...total }))
  return Object.values(total).some((count) => count > 0) ? 1 : 0
}
