import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { percentile, round } from './figures.ts'
import { provenCall } from './subjects.ts'
import { openWire } from './wire.ts'

type Latencies = { healthz_p99_ms: number; create_p99_ms: number; calls: number }
export type Hostile = { alone: Latencies; attacked: Latencies; hostile_per_second: number }

const CONNECTIONS = 100

/** What a wallet and a probe wait, alone and while one other address sends costly calls over a hundred connections. */
export async function measureHostile(baseUrl: string, seconds: number): Promise<Hostile> {
  const alone = await victim(baseUrl, seconds)
  const worker = new Worker(new URL('./hostile-client.js', import.meta.url), {
    workerData: { url: baseUrl, connections: CONNECTIONS },
  })
  try {
    await sleep(2_000)
    const before = await answered(worker)
    const attacked = await victim(baseUrl, seconds)
    return {
      alone,
      attacked,
      hostile_per_second: round(((await answered(worker)) - before) / seconds),
    }
  } finally {
    await worker.terminate()
  }
}

const answered = (worker: Worker): Promise<number> =>
  new Promise((resolve) => {
    worker.once('message', resolve)
    worker.postMessage('count')
  })

async function victim(baseUrl: string, seconds: number): Promise<Latencies> {
  const [probes, creates]: [number[], number[]] = [[], []]
  const wire = openWire(1)
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    const call = await provenCall(
      baseUrl,
      privateKeyToAccount(generatePrivateKey()),
      'payout-create',
      terms,
    )
    creates.push(await timed(() => wire.insist(call)))
    probes.push(await timed(async () => (await fetch(`${baseUrl}/healthz`)).arrayBuffer()))
    await sleep(20)
  }
  wire.close()
  return { healthz_p99_ms: p99(probes), create_p99_ms: p99(creates), calls: creates.length }
}

const terms = {
  recipient: `0x${'b0'.repeat(20)}`,
  amount_usdc: '0.000001',
  idempotency_key: 'hostile',
  memo: 'bench',
  rail_reference: 'bench',
  usage: 'synthetic',
}
const p99 = (times: number[]) => round(percentile(times, 0.99))

async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await act()
  return performance.now() - begun
}

export function printHostile(figures: Hostile): Hostile {
  const { alone, attacked, hostile_per_second } = figures
  console.log(
    `\nOne hostile address with ${CONNECTIONS} connections (${hostile_per_second} calls/s), p99 in ms`,
  )
  console.table({ alone, attacked })
  return figures
}
