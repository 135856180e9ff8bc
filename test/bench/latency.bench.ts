import { afterAll, beforeAll, test } from 'vitest'
import { createClient } from '../../api/surfaces/client.ts'
import { openTreasury, type Payout } from '../../worker/stack/treasury.ts'
import { newWallet, type TestWallet } from '../support/chain.ts'
import { startStack, type TestStack } from '../support/stack.ts'

let stack: TestStack
beforeAll(async () => {
  stack = await startStack({ env: { LIMIT_ADDRESS_PER_MINUTE: '1000000', EXECUTE_WAIT_MS: '30000' } })
})
afterAll(() => stack?.stop())

type Row = { step: string; callers: number; calls: number; 'p50 ms': number; 'p99 ms': number; 'per s': number }

/** Runs `work` over all items with so many callers at once and tells how long single items took. */
async function measure<T>(
  step: string,
  callers: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<Row> {
  const times: number[] = []
  const queue = [...items]
  const begun = performance.now()
  const caller = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      const at = performance.now()
      await work(item)
      times.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - begun) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) =>
    Math.round((times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0) * 10) / 10
  return {
    step,
    callers,
    calls: items.length,
    'p50 ms': at(0.5),
    'p99 ms': at(0.99),
    'per s': Math.round(items.length / seconds),
  }
}

type Subject = {
  wallet: TestWallet
  payout?: Payout
  authorization?: Awaited<ReturnType<ReturnType<typeof openTreasury>['authorize']>>
}

async function lifecycle(callers: number, count: number): Promise<Row[]> {
  const baseUrl = stack.baseUrls[0]!
  const treasury = openTreasury({
    baseUrl,
    origin: baseUrl,
    accounts: stack.accounts.treasury,
    operator: stack.accounts.operator.credential,
  })
  const subjects: Subject[] = Array.from({ length: count }, () => ({ wallet: newWallet() }))
  const client = ({ wallet }: Subject) => createClient({ baseUrl, wallet: wallet.account })
  const recipient = newWallet().address
  const create = await measure('create', callers, subjects, async (subject) => {
    const terms = {
      recipient,
      amount_usdc: '0.01',
      idempotency_key: 'bench',
      memo: 'bench',
      rail_reference: 'bench',
      usage: 'synthetic' as const,
    }
    subject.payout = (await client(subject).call('payout-create', terms)).body.payout
  })
  const expiresAt = Math.floor(Date.now() / 1000) + 3600
  await measure('mandate', 4, subjects, async (subject) => {
    subject.authorization = await treasury.authorize(subject.payout!, { expiresAt, idempotencyKey: 'bench-a' })
  })
  const authorize = await measure('authorize', callers, subjects, async (subject) => {
    await client(subject).call('payout-authorize', subject.authorization!)
  })
  const execute = await measure('execute to receipt', callers, subjects, async (subject) => {
    const input = { payout_id: subject.payout!.payout_id, idempotency_key: 'bench-e' }
    const { status } = await client(subject).call('payout-execute', input)
    if (status !== 200) throw new Error(`execute answered ${status}`)
  })
  const status = await measure('status', callers, subjects, async (subject) => {
    await client(subject).call('payout-status', { payout_id: subject.payout!.payout_id })
  })
  return [create, authorize, execute, status]
}

test('latency of each step at 1 and at 32 callers', async () => {
  await lifecycle(4, 16)
  const rows = [...(await lifecycle(1, 60)), ...(await lifecycle(32, 256))]
  console.table(rows)
})
