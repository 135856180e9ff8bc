// `npm run chaos -- --storm [--seed S] [--seeds N] [--api A --workers W]`: N storms, in each of which every part is killed for 90 s.
// `npm run chaos -- --runs N --seed S [--batch B] [--stack K | --only I] [--activity A]`: payouts under faults, B of them sharing a stack, or with a fault at each statement of activity A; the last line counts what was found.
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runBatch } from './batch.ts'
import { compilePrograms } from './compile.ts'
import type { Findings } from './run-record.ts'
import { storms } from './storms.ts'
import { Tally } from './tally.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '96' },
    seed: { type: 'string' },
    batch: { type: 'string', default: '48' },
    stack: { type: 'string' },
    only: { type: 'string' },
    activity: { type: 'string' },
    storm: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '1' },
    api: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
  },
})
const runs = Number(values.runs)
const seed = Number(values.seed ?? Math.floor(Date.now() / 1000))
const perStack = Number(values.batch)
const only = values.only === undefined ? undefined : Number(values.only)
const log = (text: string) => console.error(text)

log(`seed ${seed}`)
if (values.storm) {
  const [seeds, apis, workers] = [values.seeds, values.api, values.workers].map(Number) as [
    number,
    number,
    number,
  ]
  process.exit(await storms({ seed, seeds, apis, workers, log }))
}
const programs = await compilePrograms()
const tally = new Tally()
const total = { duplicates: 0, lost: 0, disagreements: 0, stuck: 0 }

for (let first = 0, batch = 0; first < runs; first += perStack, batch++) {
  const size = Math.min(perStack, runs - first)
  if (only !== undefined && (only < first || only >= first + size)) continue
  if (values.stack !== undefined && batch !== Number(values.stack)) continue
  const order = {
    seed,
    batch,
    first,
    size,
    programs,
    tally,
    log,
    ...(only === undefined ? {} : { only }),
    ...(values.activity === undefined ? {} : { activity: values.activity }),
  }
  const { records, findings, logs, histories } = await runBatch(order)
  for (const kind of Object.keys(total) as (keyof Findings)[]) {
    total[kind] += findings[kind].length
    for (const { run, what } of findings[kind])
      log(
        `${kind}: ${what} (run ${run ?? 'none'}; again with --runs ${runs} --batch ${perStack} --seed ${seed})`,
      )
  }
  if (Object.values(findings).some((list) => list.length > 0)) {
    const blamed = new Set(Object.values(findings).flatMap((list) => list.map(({ run }) => run)))
    const evidence = {
      seed,
      batch,
      findings,
      runs: records.filter(({ index }) => blamed.has(index)),
      histories,
      logs,
    }
    const file = join(tmpdir(), `agent-rails-chaos-${seed}-${batch}.json`)
    writeFileSync(file, JSON.stringify(evidence, null, 1))
    log(`the schedules and the evidence of batch ${batch} are in ${file}`)
  }
}

console.log(JSON.stringify({ runs, seed, faults: tally.counts, ...total }))
process.exit(Object.values(total).some((count) => count > 0) ? 1 : 0)
