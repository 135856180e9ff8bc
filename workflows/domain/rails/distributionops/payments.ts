import { checksumAddress, zeroAddress } from 'viem'
import { limits } from '../../core/limits.ts'
import { decimalsOf } from '../../core/money.ts'
import { toInteger } from '../values/amounts.ts'

import { ibanOf, isInSepa } from './accounts.ts'
import { latinText } from './latin-text.ts'
import {
  type Head,
  NAME_CHARS_MAX,
  type Payment,
  type PayoutRefusal,
  type Recipient,
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
  let [calls, transfers] = [0, 0]
  return paid.map(({ recipient, amount }): Payment => {
    const payoutFault = disputed ? 'rows_differ' : payoutFaultOf(recipient, amount, head)
    const transferFault = disputed ? 'rows_differ' : transferFaultOf(recipient, amount, head)
    const payout_refused = payoutFault ?? (calls >= FILE_PAYMENTS_MAX ? 'file_full' : null)
    const transfer_refused = transferFault ?? (transfers >= FILE_PAYMENTS_MAX ? 'file_full' : null)
    if (payout_refused === null) calls += 1
    if (transfer_refused === null) transfers += 1
    return {
      recipient_id: recipient.id,
      amount_minor: toInteger(amount),
      ...destinationsOf(recipient),
      ...remittanceOf(recipient, head),
      payout_refused,
      transfer_refused,
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
}: Recipient): Pick<Payment, 'destination_reference' | 'wallet' | 'name' | 'iban' | 'bic'> => ({
  ...(destination_reference === undefined ? {} : { destination_reference }),
  ...(wallet === undefined ? {} : { wallet }),
  ...(name === undefined ? {} : { name }),
  ...(iban === undefined ? {} : { iban: ibanOf(iban) }),
  ...(bic === undefined ? {} : { bic }),
})

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
