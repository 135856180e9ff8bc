import { Readable } from 'node:stream'

const built = (path) => import(new URL(path, new URL('../../../dist/', import.meta.url)).href)
const { workOnRows } = await built('activities/runs/work-on-rows.js')
const { rails } = await built('workflows/domain/rails/index.js')
const { verifyReplayFile } = await built('workflows/domain/verification/replay-package.js')

// Measures a piece of work five times and answers the processor times in milliseconds.
const RUNS = 5
const WARM_UP_MS = 600
/** Shorter times say more of the machine than of the work: a piece is done as often as it takes to fill this. */
const LEAST_MS = 60
const CHUNK = 512 * 1024

process.on('message', async ({ kind, rail: key, value }) => {
  const rail = rails.find((each) => each.key === key)
  const acts = {
    work: () =>
      rail.rows === undefined ? rail.work(rail.input.parse(value)) : workOnRows(rail, value, {}),
    replay: () => verifyReplayFile(value),
    csv: () =>
      workOnRows(rail, value.head, {
        [value.list]: { format: 'csv', stream: piecesOf(value.text) },
      }),
  }
  const cpuMs = []
  const begun = process.cpuUsage()
  const used = (since) => {
    const { user, system } = process.cpuUsage(since)
    return (user + system) / 1000
  }
  // Until the program is compiled, equal work takes less each time.
  do await acts[kind]()
  while (used(begun) < WARM_UP_MS)
  for (let run = 0; run < RUNS; run += 1) {
    const before = process.cpuUsage()
    let count = 0
    do {
      await acts[kind]()
      count += 1
    } while (used(before) < LEAST_MS)
    cpuMs.push(used(before) / count)
  }
  process.send({ cpuMs })
})

function piecesOf(text) {
  const bytes = Buffer.from(text)
  const count = Math.ceil(bytes.length / CHUNK)
  return Readable.from(
    Array.from({ length: count }, (_, at) => bytes.subarray(at * CHUNK, (at + 1) * CHUNK)),
  )
}
