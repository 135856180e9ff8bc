import { latinText } from './latin-text.ts'
import type { Payment, Result } from './schema.ts'

export const ACH_NAME_CHARS = 22
/** Ten digits of cents for an entry, and twelve for a file. */
export const ACH_ENTRY_MAX = 9_999_999_999n
export const ACH_FILE_MAX = 999_999_999_999n
const RECORDS_OF_A_BLOCK = 10
const RECORD_CHARS = 94

type Ach = NonNullable<Result['ach']>
/** A payment of the file, with its reference for payer and recipient. */
type Entry = { payment: Payment; reference: string }

/** Letters from the left, digits to the right, as the rules of NACHA lay a record out. */
const left = (text: string, chars: number): string => text.slice(0, chars).padEnd(chars)
const right = (value: string | number, digits: number): string =>
  String(value).padStart(digits, '0')
const dayOf = (iso: string): string => iso.slice(2, 10).replaceAll('-', '')
const timeOf = (iso: string): string => iso.slice(11, 16).replace(':', '')

/** The sum of the first eight digits of the routing numbers, of which a file has the last ten digits. */
export const entryHashOf = (payments: readonly Payment[]): string =>
  right(
    payments.reduce((sum, one) => sum + Number((one.routing_number ?? '').slice(0, 8)), 0),
    10,
  ).slice(-10)

/** The entries as a NACHA file with one batch of credits; its bank takes the sum from the company's account. */
export function nachaFile(entries: readonly Entry[], ach: Ach): string {
  const { company, bank, entry_class, description, effective_date, created_at } = ach
  const odfi = bank.routing_number.slice(0, 8)
  const totals = `${ach.entry_hash}${right(0, 12)}${right(ach.credit_total_minor, 12)}`
  const records = [
    `101 ${bank.routing_number}${company.id}${dayOf(created_at)}${timeOf(created_at)}A094101${left(bank.name, 23)}${left(company.name, 23)}${left('', 8)}`,
    `5220${left(company.name, 16)}${left('', 20)}${company.id}${entry_class}${left(description, 10)}${left('', 6)}${dayOf(effective_date)}${left('', 3)}1${odfi}${right(1, 7)}`,
    ...entries.map(
      ({ payment, reference }, at) =>
        `6${payment.account_type === 'savings' ? 32 : 22}${payment.routing_number}${left(payment.account_number ?? '', 17)}${right(payment.amount_minor, 10)}${left(reference, 15)}${left(latinText(payment.name ?? '', ACH_NAME_CHARS) ?? '', ACH_NAME_CHARS)}${left('', 2)}0${odfi}${right(at + 1, 7)}`,
    ),
    `8220${right(entries.length, 6)}${totals}${company.id}${left('', 25)}${odfi}${right(1, 7)}`,
  ]
  const blocks = Math.ceil((records.length + 1) / RECORDS_OF_A_BLOCK)
  records.push(
    `9${right(1, 6)}${right(blocks, 6)}${right(entries.length, 8)}${totals}${left('', 39)}`,
  )
  while (records.length < blocks * RECORDS_OF_A_BLOCK) records.push('9'.repeat(RECORD_CHARS))
  return records.map((record) => `${record}\n`).join('')
}
