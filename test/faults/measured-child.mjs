import { Readable } from 'node:stream'
import { workOnRows } from '../../dist/activities/rails/work-on-rows.js'
import { unzipReturnPackage } from '../../dist/activities/return-package.js'
import { rails } from '../../dist/workflows/domain/rails/index.js'
import { verifyReplayFile } from '../../dist/workflows/domain/verification/replay-package.js'

// Does one piece of work five times and answers the processor time of each, in milliseconds.
const RUNS = Number(process.env.M_RUNS ?? 5)
const CHUNK = 512 * 1024

process.on('message', async ({ kind, rail: key, value }) => {
  const rail = rails.find((each) => each.key === key)
  const acts = {
    work: () => rail.work(value),
    replay: () => verifyReplayFile(value),
    unzip: () => unzipReturnPackage(value),
    csv: () => workOnRows(rail, value.head, { [value.list]: { format: 'csv', stream: piecesOf(value.text) } }),
  }
  const cpuMs = []
  for (let run = 0; run < RUNS; run += 1) {
    const before = process.cpuUsage()
    try {
      await acts[kind]()
    } catch (error) {
      // A refusal takes its time too.
      if (error?.refusal === undefined && kind !== 'unzip') throw error
    }
    const { user, system } = process.cpuUsage(before)
    cpuMs.push((user + system) / 1000)
  }
  process.send({ cpuMs })
})

function piecesOf(text) {
  const bytes = Buffer.from(text)
  const count = Math.ceil(bytes.length / CHUNK)
  return Readable.from(Array.from({ length: count }, (_, at) => bytes.subarray(at * CHUNK, (at + 1) * CHUNK)))
}
