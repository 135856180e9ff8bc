import { checksumAddress, zeroAddress } from 'viem'
import { limits } from '../../core/limits.ts'
import { decimalsOf } from '../../core/money.ts'
import { toInteger } from '../values/amounts.ts'

import { ibanOf, isInSepa } from './accounts.ts'
import { accountTypeOf } from './ach-account.ts'
import type { Recipient } from './in-minor.ts'
import { latinText } from './latin-text.ts'
import { ACH_ENTRY_MAX, ACH_FILE_MAX, ACH_NAME_CHARS, entryHashOf } from './nacha.ts'
import {
  type AchRefusal,
  type Head,
  NAME_CHARS_MAX,
  type Payment,
  type PayoutRefusal,
  type Result,
  type TransferRefusal,
} from './schema.ts'

const form = /^0x[0-9a-fA-F]{40}$/
const isOfOneCase = (digits: string): boolean =>
  digits === digits.toLowerCase() || digits === digits.toUpperCase()

/** Why an address cannot be paid; an address in capitals and small letters has the checksum of EIP-55. */
export function walletFault(
  wallet: string,
): 'wallet_malformed' | 'wallet_checksum_wrong' | 'wallet_is_zero' | null {
  if (!form.test(wallet)) return 'wallet_malformed'
  const address = wallet as `0x${string}`
  if (address.toLowerCase() === zeroAddress) return 'wallet_is_zero'
  const isChecked = isOfOneCase(wallet.slice(2)) || checksumAddress(address) === wallet
  return isChecked ? null : 'wallet_checksum_wrong'
}

/** The currency of the payout rail; its minor units are millionths. */
export const PAYOUT_CURRENCY = 'USDC'
/** Decision: payments of one file, the first by id. */
const FILE_PAYMENTS_MAX = 10_000
/** EPC115-06: a SEPA credit transfer is of at most 999,999,999.99 euros. */
const SEPA_MINOR_MAX = 99_999_999_999n

type Paid = { recipient: Recipient; amount: bigint }
/** `disputed`: rows of one id differ, so that every share may change once it is known which of them is right. */
type Batch = { head: Head; disputed: boolean }

/** Every payment with its destinations and whether payout rail and bank can be asked for it. */
export function paymentsOf(paid: readonly Paid[], { head, disputed }: Batch): Payment[] {
  let [calls, transfers, entries] = [0, 0, 0]
  let credited = 0n
  return paid.map(({ recipient, amount }): Payment => {
    const payoutFault = disputed ? 'rows_differ' : payoutFaultOf(recipient, amount, head)
    const transferFault = disputed ? 'rows_differ' : transferFaultOf(recipient, amount, head)
    const payout_refused = payoutFault ?? (calls >= FILE_PAYMENTS_MAX ? 'file_full' : null)
    const transfer_refused = transferFault ?? (transfers >= FILE_PAYMENTS_MAX ? 'file_full' : null)
    const achFault = disputed ? 'rows_differ' : achFaultOf(recipient, amount, head)
    const isFull = entries >= FILE_PAYMENTS_MAX || credited + amount > ACH_FILE_MAX
    const ach_refused = achFault ?? (isFull ? 'file_full' : null)
    if (ach_refused === null) {
      entries += 1
      credited += amount
    }
    if (payout_refused === null) calls += 1
    if (transfer_refused === null) transfers += 1
    return {
      recipient_id: recipient.id,
      amount_minor: toInteger(amount),
      ...destinationsOf(recipient),
      ...remittanceOf(recipient, head),
      payout_refused,
      transfer_refused,
      ach_refused,
    }
  })
}

/** Where a recipient can be paid, as far as its row says. */
export const destinationsOf = ({
  destination_reference,
  wallet,
  name,
  iban,
  bic,
  routing_number,
  account_number,
  account_type,
}: Recipient): Omit<Payment, 'recipient_id' | 'amount_minor' | 'remittance' | Refusals> => ({
  ...(destination_reference === undefined ? {} : { destination_reference }),
  ...(wallet === undefined ? {} : { wallet }),
  ...(name === undefined ? {} : { name }),
  ...(iban === undefined ? {} : { iban: ibanOf(iban) }),
  ...(bic === undefined ? {} : { bic }),
  ...(routing_number === undefined ? {} : { routing_number }),
  ...(account_number === undefined ? {} : { account_number }),
  ...(account_type === undefined ? {} : { account_type: accountTypeOf(account_type) }),
})
type Refusals = 'payout_refused' | 'transfer_refused' | 'ach_refused'

function remittanceOf({ iban, remittance }: Recipient, { credit_transfer }: Head) {
  const text = remittance ?? credit_transfer?.remittance
  return iban === undefined || text === undefined ? {} : { remittance: text }
}

function payoutFaultOf(
  { wallet }: Recipient,
  amount: bigint,
  { pool }: Head,
): PayoutRefusal | null {
  if (pool.currency !== PAYOUT_CURRENCY) return 'currency_not_usdc'
  if (wallet === undefined) return 'wallet_missing'
  return walletFault(wallet) ?? (amount > limits.maxPayoutAtomic ? 'over_payout_cap' : null)
}

function transferFaultOf(
  { iban, name }: Recipient,
  amount: bigint,
  { pool: { currency }, credit_transfer: asked }: Head,
): TransferRefusal | null {
  if (asked === undefined) return 'no_debtor_account'
  if (decimalsOf(currency) === undefined) return 'currency_not_iso'
  if (iban === undefined) return 'account_missing'
  if (name === undefined) return 'name_missing'
  if (latinText(name, NAME_CHARS_MAX, iban) === undefined) return 'name_not_latin'
  if (currency !== 'EUR') return null
  if (!isInSepa(iban) || !isInSepa(asked.debtor.iban)) return 'outside_sepa'
  return amount > SEPA_MINOR_MAX ? 'over_sepa_maximum' : null
}

function achFaultOf(
  { routing_number, account_number, account_type, name }: Recipient,
  amount: bigint,
  { pool: { currency }, ach }: Head,
): AchRefusal | null {
  if (ach === undefined) return 'no_company'
  if (currency !== 'USD') return 'currency_not_usd'
  const parts = [routing_number, account_number, account_type]
  if (parts.includes(undefined)) return 'account_missing'
  if (name === undefined) return 'name_missing'
  if (latinText(name, ACH_NAME_CHARS) === undefined) return 'name_not_latin'
  return amount > ACH_ENTRY_MAX ? 'over_ach_maximum' : null
}

const sumOf = (payments: readonly Payment[]): bigint =>
  payments.reduce((sum, { amount_minor }) => sum + BigInt(amount_minor), 0n)

export function payoutCallsOf(payments: readonly Payment[]): Result['payout_calls'] {
  const ready = payments.filter(({ payout_refused }) => payout_refused === null)
  return {
    ready: ready.length,
    refused: payments.length - ready.length,
    amount_minor: toInteger(sumOf(ready)),
  }
}

export function creditTransferOf(
  payments: readonly Payment[],
  { credit_transfer: asked }: Head,
): Result['credit_transfer'] {
  if (asked === undefined) return null
  const { debtor, execution_date, created_at } = asked
  const listed = payments.filter(({ transfer_refused }) => transfer_refused === null)
  return {
    debtor: {
      name: debtor.name,
      iban: ibanOf(debtor.iban),
      ...(debtor.bic === undefined ? {} : { bic: debtor.bic }),
    },
    execution_date,
    created_at,
    transactions: listed.length,
    control_sum_minor: toInteger(sumOf(listed)),
    refused: payments.length - listed.length,
  }
}

export function achOf(payments: readonly Payment[], { ach }: Head): Result['ach'] {
  if (ach === undefined) return null
  const listed = payments.filter(({ ach_refused }) => ach_refused === null)
  return {
    ...ach,
    entries: listed.length,
    credit_total_minor: toInteger(sumOf(listed)),
    entry_hash: entryHashOf(listed),
    refused: payments.length - listed.length,
  }
}
