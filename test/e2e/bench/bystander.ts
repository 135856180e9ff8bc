import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { configSchema } from '../../../activities/config/config.ts'
import type { Job } from '../../../activities/runs/isolation/job.ts'
import { closePools, openPools, type Pools } from '../../../activities/runs/isolation/pools.ts'
import { docxOf } from '../../support/office-files.ts'
import { median, round, type Spread, show, spread } from './figures.ts'

export type Bystander = {
  alone_s: Spread
  attacked_s: Spread
  ratio: number
  hostile_files: number
}

const AGENTS = 10
const ROWS = 200_000
const HOSTILE_ELEMENTS = 7_500_000
const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

/** What is worked out for a paid run, alone and while ten agents without trust have costly files read without a pause. */
export async function measureBystander(times: number): Promise<Bystander> {
  const { RUN_PROCESSES, RUN_CPU_MS, RUN_MEMORY_MB } = configSchema
    .pick({ RUN_PROCESSES: true, RUN_CPU_MS: true, RUN_MEMORY_MB: true })
    .parse({})
  const pools = openPools({ RUN_PROCESSES, RUN_CPU_MS, RUN_MEMORY_MB, CAGE_SOCKET: '' })
  try {
    await paidRun(pools)
    const alone = await secondsOf(pools, times)
    const hostile = attack(pools)
    await hostile.begun
    const attacked = await secondsOf(pools, times)
    const hostile_files = await hostile.stop()
    return {
      alone_s: spread(alone),
      attacked_s: spread(attacked),
      ratio: round(median(attacked) / median(alone)),
      hostile_files,
    }
  } finally {
    await closePools(pools)
  }
}

async function secondsOf(pools: Pools, times: number): Promise<number[]> {
  const seconds: number[] = []
  while (seconds.length < times) {
    const begun = performance.now()
    await paidRun(pools)
    seconds.push((performance.now() - begun) / 1000)
  }
  return seconds
}

const usage = `at,model,input_tokens,output_tokens\n${'2026-01-01T00:00:00Z,m,1,2\n'.repeat(ROWS)}`
const streamOf = (bytes: Uint8Array | string): Readable =>
  Readable.from([Buffer.from(bytes)], { objectMode: false })

/** The rows of a paid run, read in the pool of what is paid for. */
async function paidRun({ trusted }: Pools): Promise<void> {
  const job: Job = {
    kind: 'check',
    rail: 'tokenops',
    list: 'usage',
    corrections: {},
    lists: { usage: 'csv' },
  }
  await trusted.queue('bystander').run(job, { usage: streamOf(usage) })
}

/** Each agent sends its next file once the one before is read; each is of a network of its own, which is the worst case. */
function attack({ strangers }: Pools) {
  const noise = randomBytes(HOSTILE_ELEMENTS / 40).toString('base64')
  const file = docxOf(`<!--${noise}-->${'<a/>'.repeat(HOSTILE_ELEMENTS)}`)
  const job: Job = {
    kind: 'extract',
    mediaType: wordType,
    as: { kind: 'document', charsMax: 1_000_000, images: false },
  }
  let [goesOn, files] = [true, 0]
  const agents = Array.from({ length: AGENTS }, async (_, agent) => {
    while (goesOn) {
      await strangers
        .queue(`stranger ${agent}`)
        .run(job, { file: streamOf(file) })
        .catch(() => undefined)
      files += 1
    }
  })
  return {
    /** Resolves when the first files are read, so that processes of the pool are at work. */
    begun: strangers.queue('first').run(job, { file: streamOf(file) }),
    stop: async () => {
      goesOn = false
      await Promise.all(agents)
      return files
    },
  }
}

export function printBystander(figures: Bystander): Bystander {
  const { alone_s, attacked_s, ratio, hostile_files } = figures
  console.log(
    `\nThe work of a paid run: ${show(alone_s)} s alone, ${show(attacked_s)} s next to ${AGENTS} hostile agents (${hostile_files} files): ${ratio} times`,
  )
  return figures
}
