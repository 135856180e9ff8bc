import { openRail, proofOf } from '../../support/agent.ts'
import { openPayer, paymentHeader, signPayment } from '../../support/payments.ts'
import { drive, median, percentile, round } from './figures.ts'
import { type Fixture, runRound } from './fixture.ts'
import { openWire, prepared } from './wire.ts'

export type Apart = {
  what: string
  callers: number
  count: number
  per_second: number
  'p50 ms': number
  'p99 ms': number
}

/** What is not in the payout's figures: the chain's confirmation, and an x402 payment that settles before the answer. */
export async function measureApart(
  fixture: Fixture,
  counts: Record<number, number>,
): Promise<Apart[]> {
  const stop = await fixture.serveTransfers()
  const rows: Apart[] = []
  for (const [callers, count] of Object.entries(counts).map(
    ([key, value]) => [Number(key), value] as const,
  )) {
    const { run } = await runRound(fixture, { who: 'rail', callers, count, until: 'included' })
    rows.push(
      row(
        'execute until it is on chain',
        callers,
        run.seconds,
        run.times['execute until included'] ?? [],
      ),
    )
    const paid = await payCreates(fixture, callers, count)
    rows.push(row('create paid by x402, settled', callers, paid.seconds, paid.times['whole'] ?? []))
  }
  await stop()
  return rows
}

function row(what: string, callers: number, seconds: number, times: readonly number[]): Apart {
  const per_second = round(times.length / seconds)
  return {
    what,
    callers,
    count: times.length,
    per_second,
    'p50 ms': round(median(times)),
    'p99 ms': round(percentile(times, 0.99)),
  }
}

/** Creates of wallets without free calls, each with a payment of its own. */
async function payCreates({ stack }: Fixture, callers: number, count: number) {
  const rail = await openRail(stack)
  const calls = []
  const [url = ''] = stack.baseUrls
  while (calls.length < count) {
    const payer = await openPayer(rail)
    const terms = rail.terms({ amount_usdc: '0.000001' })
    const proof = await proofOf(payer.account, url, '/api/payout-create', terms)
    const payment = paymentHeader(await signPayment(rail, payer))
    calls.push(prepared('create', `${url}/api/payout-create`, terms, { ...proof, ...payment }))
  }
  const wire = openWire(callers)
  const run = await drive(callers, calls, async (call) => void (await wire.insist(call)))
  wire.close()
  await rail.stop()
  return run
}

export function printApart(rows: Apart[]): Apart[] {
  console.log('\nApart: the chain (blocks of one second, mined as transactions come) and x402')
  console.table(rows)
  return rows
}
