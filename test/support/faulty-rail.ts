import { afterAll, beforeAll } from 'vitest'
import { paymentId } from '#domain/core/ids.ts'
import { type Agent, eventually, openRail, type Rail, type RawAnswer } from './agent.ts'
import type { Payment } from './payments.ts'
import { type FaultyWire, startFaultyWire } from './rpc-proxy.ts'
import { startStack, type TestStack } from './stack.ts'

/** A stack whose programs reach the chain through a wire that can fail. */
export type FaultyRail = { stack: TestStack; rail: Rail; wire: FaultyWire }

/** Times that let a payment be sent, lost and looked for within a test. */
const quick = {
  UPDATE_WAIT_MS: '2500',
  SETTLE_WAIT_MS: '2500',
  SWEEP_EVERY_MS: '300',
  SWEEP_GRACE_MS: '20000',
  CONFIRM_WINDOW_MS: '500',
  CHAIN_POLL_MS: '100',
}

/** Such a stack for all tests of a file; the members are there once its tests begin. */
export function faultyRail(env: Record<string, string> = {}): FaultyRail {
  const own = {} as FaultyRail
  beforeAll(async () => {
    const chainThrough = async (rpcUrl: string) => {
      own.wire = await startFaultyWire(rpcUrl)
      return own.wire.url
    }
    own.stack = await startStack({ runWorkers: 0, chainThrough, env: { ...quick, ...env } })
    own.rail = await openRail(own.stack)
  })
  afterAll(async () => {
    await own.rail?.stop()
    await own.stack?.stop()
    await own.wire?.close()
  })
  return own
}

/** The id that a payment is stored under. */
export const paymentIdOf = ({ asset }: Rail, { payload: { authorization } }: Payment): string =>
  paymentId(asset, authorization.from, authorization.nonce)

/** What is stored of a payment; undefined when nothing is. */
export async function storedPayment(rail: Rail, payment: Payment) {
  return await rail.db
    .selectFrom('payments')
    .select(['state', 'credit', 'valid_before', 'transaction_hash'])
    .where('payment_id', '=', paymentIdOf(rail, payment))
    .executeTakeFirst()
}

/** How many payouts an agent has created. */
export async function payoutsOf({ db }: Rail, { address }: Agent): Promise<number> {
  const rows = await db
    .selectFrom('payouts')
    .select('payout_id')
    .where('creator', '=', address)
    .execute()
  return rows.length
}

/** Sends until the answer is not one that says to repeat. */
export const answered = (call: () => Promise<RawAnswer>): Promise<RawAnswer> =>
  eventually(call, ({ body }) => body['retryable'] !== true, 120_000, 200)
