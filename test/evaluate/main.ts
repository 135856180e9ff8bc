import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { evaluations, type Score } from './sets.ts'

const PAGE = 'docs/reference/rails-evidence.md'
const { values } = parseArgs({
  options: {
    rail: { type: 'string' },
    material: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const rails = Object.entries(evaluations).filter(
  ([rail]) => values.rail === undefined || rail === values.rail,
)
if (rails.length === 0) {
  console.error(`--rail is one of ${Object.keys(evaluations).join(', ')}`)
  process.exit(2)
}

const share = (number: number, of: number) => {
  return { number, of, share: of === 0 ? null : Number((number / of).toFixed(3)) }
}
const scores: Score[] = []
for (const [, evaluate] of rails) scores.push(...(await evaluate(values.material ?? null)))
for (const { right, wrong, missed, ...score } of scores)
  console.log(
    JSON.stringify({
      ...score,
      precision: share(right, right + wrong),
      recall: share(right, right + wrong + missed),
    }),
  )
if (values.write) {
  const rows = scores.map(
    ({ rail, set, truth, cases, right, wrong, missed }) =>
      `| ${rail} | ${set} | ${truth} | ${cases} | ${right} | ${wrong} | ${missed} |`,
  )
  const table = [
    '| Rail | Set | Truth by | Cases | Right | Wrong | Missed |',
    '|---|---|---|---|---|---|---|',
  ]
  const made = ['<!-- made: evaluation -->', '', ...table, ...rows, '', '<!-- end -->'].join('\n')
  const page = readFileSync(PAGE, 'utf8')
  writeFileSync(PAGE, page.replace(/<!-- made: evaluation -->[\s\S]*?<!-- end -->/, made))
}
