import { z } from 'zod'
import { inMemory, openJournal } from '../config/journal.ts'
import type { SigningOrder } from './signing-rules.ts'

const DAY_S = 24 * 3600

const countedPayout = z.strictObject({
  payout_id: z.string(),
  amount_atomic: z.string().regex(/^[1-9][0-9]*$/),
  /** When it was signed first, in Unix seconds. */
  at: z.number(),
})
type CountedPayout = z.output<typeof countedPayout>

/** The journal of signed payouts in a file; those of the last 24 hours count. */
export const openDayJournal = (path: string, nowSeconds: () => number = () => Date.now() / 1000) =>
  openJournal(path, {
    schema: countedPayout,
    live: (entries) => entries.filter(({ at }) => at >= nowSeconds() - DAY_S),
  })

/** The payouts of the last 24 hours, each counted once however often it is signed. */
export function createDayCount(most: bigint, journal = inMemory<CountedPayout>()) {
  const counted = new Map<string, { amount: bigint; at: number; stored: Promise<void> }>()
  let total = 0n
  const count = ({ payout_id, amount_atomic, at }: CountedPayout, stored: Promise<void>): void => {
    const amount = BigInt(amount_atomic)
    counted.set(payout_id, { amount, at, stored })
    total += amount
  }
  const forget = (before: number): void => {
    for (const [id, { amount, at }] of counted) {
      if (at >= before) return
      counted.delete(id)
      total -= amount
    }
  }
  for (const entry of journal.entries) count(entry, Promise.resolve())
  return {
    /** Counts a payout and returns once that is remembered; or says why it is not within the limit. */
    add: async ({ payout }: SigningOrder, now: number): Promise<string | undefined> => {
      const { payout_id, amount_atomic } = payout
      forget(now - DAY_S)
      if (!counted.has(payout_id)) {
        if (total + BigInt(amount_atomic) > most)
          return `this signer signed ${total} atomic units in the last 24 hours, and ${most} is its limit`
        const entry = { payout_id, amount_atomic, at: now }
        count(entry, journal.append(entry))
      }
      await counted.get(payout_id)?.stored
      return undefined
    },
  }
}
