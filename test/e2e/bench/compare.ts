// `npm run bench:compare -- OLD_CHECKOUT [--pairs 9]`: processor time of a paid-rail call, this build against an older one.
// Both stacks are up; rounds alternate, and each pair changes the order, so that drift of the machine meets both.
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { benchOf } from './checkout.ts'
import { startChild } from './child.ts'
import { median, round } from './figures.ts'
import { medianInterval } from './median-interval.ts'

const WORST_RATIO = 1.03
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: 'string', default: '9' },
    callers: { type: 'string', default: '32' },
    count: { type: 'string', default: '320' },
  },
})
const [other] = positionals
const [pairs, callers, count] = [values.pairs, values.callers, values.count].map(Number) as [
  number,
  number,
  number,
]
if (other === undefined || !(pairs >= 9)) {
  console.error(
    'usage: npm run bench:compare -- OLD_CHECKOUT [--pairs N], with at least nine pairs',
  )
  process.exit(2)
}

type Parts = Record<string, number>
type Pair = { old: Parts; new: Parts }
const all = (parts: Parts): number => parts['all'] ?? Number.NaN

const checkouts = { old: resolve(other), new: packageRoot }
buildBench(checkouts.old)
const builds = { old: startChild('compare-build.js'), new: startChild('compare-build.js') }
try {
  for (const name of ['old', 'new'] as const) {
    await builds[name].ask('open', checkouts[name])
    await measure(name)
  }
  const taken: Pair[] = []
  while (taken.length < pairs) {
    const newFirst = taken.length % 2 === 1
    const first = await measure(newFirst ? 'new' : 'old')
    const second = await measure(newFirst ? 'old' : 'new')
    const pair = newFirst ? { old: second, new: first } : { old: first, new: second }
    taken.push(pair)
    console.error(
      `pair ${taken.length}: old ${round(all(pair.old))} ms, new ${round(all(pair.new))} ms`,
    )
  }
  report(taken)
} finally {
  for (const build of Object.values(builds)) {
    await build.ask('close').catch((error: unknown) => console.error(error))
    await build.stop()
  }
}

function measure(name: 'old' | 'new'): Promise<Parts> {
  return builds[name].ask<Parts>('round', { callers, count })
}

function report(taken: readonly Pair[]): void {
  const parts = Object.keys(taken[0]?.new ?? {})
  const medianOf = (name: keyof Pair, part: string) =>
    round(median(taken.map((pair) => pair[name][part] ?? 0)))
  console.table(
    Object.fromEntries(
      parts.map((part) => [part, { old: medianOf('old', part), new: medianOf('new', part) }]),
    ),
  )
  const ratios = taken.map((pair) => all(pair.new) / all(pair.old))
  const { low, high, coverage } = medianInterval(ratios, 0.95)
  console.table({
    'new / old, paired median': round(median(ratios)),
    [`interval (${(coverage * 100).toFixed(1)} %)`]: `${round(low)} to ${round(high)}`,
  })
  const worse = low > WORST_RATIO
  console.log(worse ? `worse: the whole interval is over ${WORST_RATIO}` : 'not proven worse')
  process.exitCode = worse ? 1 : 0
}

/** An older checkout is built with its own compiler settings and its own packages. */
function buildBench(checkout: string): void {
  const run = (...args: string[]) => execFileSync('npx', args, { cwd: checkout, stdio: 'inherit' })
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: checkout, stdio: 'inherit' })
  run('tsc', '-p', `${benchOf(checkout).folder}/tsconfig.json`)
}
