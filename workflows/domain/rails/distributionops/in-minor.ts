import type { z } from 'zod'
import { toMinor } from '../values/money.ts'
import type { Recipient as Row } from './schema.ts'

type InMajor = 'amount' | 'cap' | 'floor' | 'currency'
/** A recipient with its amounts in minor units; `fault`: why it has none. */
export type Recipient = Omit<z.infer<typeof Row>, InMajor> & { fault?: string }

const pairs = [
  ['amount', 'amount_minor'],
  ['cap', 'cap_minor'],
  ['floor', 'floor_minor'],
] as const

/** The amounts of a row in minor units of the pool's currency; a row that is of another currency, or has an amount twice, says so. */
export function inMinor(row: z.infer<typeof Row>, currency: string): Recipient {
  const { amount, cap, floor, currency: own = currency, ...rest } = row
  if (own !== currency) return { ...rest, fault: `is in ${own}, and the pool in ${currency}` }
  const given = { amount, cap, floor }
  const read: Recipient = rest
  for (const [major, minor] of pairs) {
    const value = given[major]
    if (value === undefined) continue
    if (rest[minor] !== undefined) return { ...rest, fault: `has both ${major} and ${minor}` }
    const made = toMinor(value, currency)
    if ('fault' in made) return { ...rest, fault: `its ${major} ${made.fault}` }
    if (major !== 'amount' && made.minor < 0)
      return { ...rest, fault: `its ${major} is below zero` }
    read[minor] = made.minor
  }
  return read
}
