import { afterAll, beforeAll, expect } from 'vitest'
import { openExchange } from '../../support/exchange.ts'
import { restart } from '../../support/processes.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

const CLAIM_MS = 10_000

let stack: TestStack
let market: Awaited<ReturnType<typeof openExchange>>
beforeAll(async () => {
  stack = await startStack({ env: { EXCHANGE_CLAIM_MS: String(CLAIM_MS) } })
  const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
  market = await openExchange(hosts, stack.accounts.operator.credential)
})
afterAll(() => stack?.stop())

verifies(
  'exchange.timer',
  'a claim ends in time although worker and Temporal were killed',
  async () => {
    const { work_order_id, run_id } = await market.order(60_000)
    const one = await market.agent()
    const { claim } = (await one.claim(work_order_id)).body
    const victims = [stack.worker(), stack.temporal]
    await Promise.all(victims.map((part) => part.kill('SIGKILL')))
    expect(await one.claimed(claim.claim_id)).toMatchObject({ state: 'held' })
    for (const part of [stack.temporal, stack.worker()]) await restart(part)
    // Only the timer of the order's workflow ends it: nothing else asks for the order.
    const state = async () => (await one.claimed(claim.claim_id)).state
    await expect.poll(state, { interval: 500 }).toBe('expired')

    const begun = async () => (await market.requester.status(run_id)).state
    await expect.poll(begun, { interval: 1_000 }).toBe('operating')
    const { items } = (await one.client.call('exchange-read', {})).body
    expect(items).toEqual([])
  },
)
