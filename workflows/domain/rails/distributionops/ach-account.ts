import { z } from 'zod'

const weights = [3, 7, 1, 3, 7, 1, 3, 7, 1]

/** Whether the nine digits of a routing number, weighted 3, 7, 1 in turn, sum to a multiple of ten (ABA). */
function hasCheckDigit(routing: string): boolean {
  const sum = weights.reduce((total, weight, at) => total + weight * Number(routing[at]), 0)
  return sum > 0 && sum % 10 === 0
}

/** The routing number of a bank of the United States. */
export const RoutingNumber = z
  .string()
  .regex(/^\d{9}$/, { error: 'a routing number has nine digits', abort: true })
  .refine(hasCheckDigit, 'the check digit of this routing number is wrong')

/** An account number as a NACHA file takes it. */
export const AccountNumber = z.string().regex(/^[0-9A-Za-z-]{1,17}$/)

/** As banks write it in their files of recipients: in words, by its first letter, or by its number. */
export const AccountType = z
  .string()
  .regex(/^(?:[Cc](?:hecking|HECKING)?|[Ss](?:avings|AVINGS)?|[12])$/)
export const accountTypeOf = (written: string): 'checking' | 'savings' =>
  /^[Ss2]/.test(written) ? 'savings' : 'checking'
