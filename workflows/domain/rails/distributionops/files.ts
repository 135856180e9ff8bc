import { digestOf } from '../../core/canonical-json.ts'
import { formatUsdc } from '../../core/money.ts'
import { printable } from '../../core/plain-text.ts'
import { csvOf } from '../report/csv.ts'
import { majorOf } from '../report/decimal-text.ts'
import type { PlannedFile, PlannedRun } from '../report/plan.ts'
import { nachaFile } from './nacha.ts'
import { pain001, writtenName } from './pain001.ts'
import type { Payment, Result } from './schema.ts'

const ID_CHARS = 32
const ACH_ID_CHARS = 15

type Delivered = Partial<Pick<Result, 'currency' | 'payments' | 'credit_transfer' | 'ach'>>

/** The files by which the payments of a run are made; none where its tier leaves the payments out. */
export function payoutFiles(run: PlannedRun, result: unknown): PlannedFile[] {
  const { currency = '', payments = [], credit_transfer = null, ach = null } = result as Delivered
  if (payments.length === 0) return []
  const calls = payments.filter(({ payout_refused }) => payout_refused === null)
  const transfers = payments.filter(({ transfer_refused }) => transfer_refused === null)
  const files: PlannedFile[] = [
    {
      name: 'payouts/payouts.csv',
      about: `${counted(payments, 'payment')} with destinations and references`,
      text: csvOf(tableOf(run, payments, currency)),
    },
  ]
  if (calls.length > 0)
    files.push({
      name: 'payouts/payout-create.jsonl',
      about: `${counted(calls, 'body', 'bodies')} of payout-create, one a line, for \`agent-rails payouts submit\``,
      text: calls.map((payment) => `${JSON.stringify(bodyOf(run, payment))}\n`).join(''),
    })
  if (transfers.length > 0 && credit_transfer !== null)
    files.push({
      name: 'payouts/pain.001.001.09.xml',
      about: `${counted(transfers, 'transfer')} for the debtor's bank (ISO 20022)`,
      text: pain001(
        {
          messageId: digestOf({
            type: 'service.distribution-message.v1',
            run_id: run.run_id,
          }).slice(0, ID_CHARS),
          currency,
          sum: majorOf(credit_transfer.control_sum_minor, currency) ?? '',
          transfers: transfers.map((payment) => ({
            payment,
            reference: keyOf(run, payment).slice(0, ID_CHARS),
            amount: majorOf(payment.amount_minor, currency) ?? '',
          })),
        },
        credit_transfer,
      ),
    })
  const entries = payments.filter(({ ach_refused }) => ach_refused === null)
  if (entries.length > 0 && ach !== null)
    files.push({
      name: 'payouts/nacha.txt',
      about: `${counted(entries, 'credit')} by ACH for the payer's bank (NACHA)`,
      text: nachaFile(
        entries.map((payment) => ({
          payment,
          reference: keyOf(run, payment).slice(0, ACH_ID_CHARS),
        })),
        ach,
      ),
    })
  return files
}

const counted = (all: readonly unknown[], one: string, more = `${one}s`): string =>
  `${all.length} ${all.length === 1 ? one : more}`

/** The same for each reading of a run, so that no recipient of it is paid twice. */
const keyOf = ({ run_id }: PlannedRun, { recipient_id }: Payment): string =>
  digestOf({ type: 'service.distribution-payout.v1', run_id, recipient_id })

/** A body of `payout-create`. */
const bodyOf = (run: PlannedRun, payment: Payment) => ({
  recipient: payment.wallet ?? '',
  amount_usdc: formatUsdc(BigInt(payment.amount_minor)),
  idempotency_key: keyOf(run, payment),
  memo: printable(payment.recipient_id),
  rail_reference: run.run_id,
  usage: run.usage,
})

function tableOf(run: PlannedRun, payments: readonly Payment[], currency: string) {
  const columns = [
    'recipient_id',
    'amount',
    'currency',
    'destination_reference',
    'wallet',
    'payout_refused',
    'idempotency_key',
    'name',
    'name_in_transfer',
    'iban',
    'bic',
    'remittance',
    'transfer_refused',
    'end_to_end_id',
    'routing_number',
    'account_number',
    'account_type',
    'ach_refused',
    'ach_id',
  ]
  const rows = payments.map((payment) => {
    const key = keyOf(run, payment)
    const { recipient_id, amount_minor, destination_reference = null, wallet = null } = payment
    const { name = null, iban = null, bic = null, remittance = null } = payment
    return [
      recipient_id,
      majorOf(amount_minor, currency) ?? amount_minor,
      majorOf(amount_minor, currency) === undefined ? `${currency} minor units` : currency,
      destination_reference,
      wallet,
      payment.payout_refused,
      payment.payout_refused === null ? key : null,
      name,
      payment.transfer_refused === null ? writtenName(name ?? '', iban ?? '') : null,
      iban,
      bic,
      remittance,
      payment.transfer_refused,
      payment.transfer_refused === null ? key.slice(0, ID_CHARS) : null,
      payment.routing_number ?? null,
      payment.account_number ?? null,
      payment.account_type ?? null,
      payment.ach_refused,
      payment.ach_refused === null ? key.slice(0, ACH_ID_CHARS) : null,
    ]
  })
  return { columns, rows }
}
