import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { measurePayouts, printPayouts } from './payout.ts'
import { openRig, runRound } from './rig.ts'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
})
const quick = options.quick
const wanted = (section: string) => options.only === undefined || options.only === section
const figures: Record<string, unknown> = {
  taken_at: new Date().toISOString(),
  quick,
  node: process.version,
  cpus: cpus().length,
}
const begun = performance.now()
const rig = await openRig(options.profile)
try {
  for (const who of ['rail', 'floor', 'bare floor'] as const) await runRound(rig, { who, callers: 16, count: 96 })
  if (wanted('payout')) {
    const counts = quick ? { 1: 15, 8: 48, 32: 128, 128: 192 } : { 1: 40, 8: 128, 32: 320, 128: 512 }
    const levels = await measurePayouts(rig, { rounds: quick ? 2 : 5, counts })
    printPayouts(levels)
    figures['levels'] = levels
  }
} finally {
  await rig.stop()
}
writeFileSync('bench.json', `${JSON.stringify(figures, null, 2)}\n`)
console.log(`${Math.round((performance.now() - begun) / 1000)} s`)
