import { z } from 'zod'
import { Currency, Id, oneLine } from '../input/names.ts'
import { MINOR_MAX, Minor } from '../values/amounts.ts'
import { Major, moneyRow } from '../values/money.ts'
import { CitationShape } from '../work/notes.ts'
import { Bic, Iban } from './accounts.ts'
import { AccountNumber, AccountType, RoutingNumber } from './ach-account.ts'
import { latinText } from './latin-text.ts'
import { Weight } from './weights.ts'

/** What SEPA takes of a name, and of a text for the creditor (EPC132-08). */
export const NAME_CHARS_MAX = 70
export const REMITTANCE_CHARS_MAX = 140

const Amount = z.int().min(0).max(MINOR_MAX)
const Remittance = oneLine(REMITTANCE_CHARS_MAX)
const CreditTransfer = z.strictObject({
  debtor: z.strictObject({
    name: oneLine(NAME_CHARS_MAX).refine(
      (name) => latinText(name, NAME_CHARS_MAX) !== undefined,
      'a name in Latin, Greek or Cyrillic letters, since payment files have no others',
    ),
    iban: Iban,
    bic: Bic.optional(),
  }),
  /** The day on which the debtor's bank is to execute the transfers. */
  execution_date: z.iso.date(),
  /** The time that the file states as that of its creation, in UTC. */
  created_at: z.iso.datetime(),
  /** The text for each recipient without one of its own. */
  remittance: Remittance.optional(),
})
/** What a NACHA file says of who pays, as its bank has agreed with the payer. */
const Ach = z.strictObject({
  company: z.strictObject({
    name: z.string().regex(/^[ -~]{1,16}$/),
    /** Ten characters, such as 1 and the employer identification number. */
    id: z.string().regex(/^[0-9A-Z]{10}$/),
  }),
  /** The payer's bank, to which the file goes. */
  bank: z.strictObject({
    name: z.string().regex(/^[ -~]{1,23}$/),
    routing_number: RoutingNumber,
  }),
  /** CCD: to companies; PPD: to people. */
  entry_class: z.enum(['CCD', 'PPD']),
  /** What recipients see on their statements. */
  description: z.string().regex(/^[ -~]{1,10}$/),
  effective_date: z.iso.date(),
  /** The time that the file states as that of its creation. */
  created_at: z.iso.datetime(),
})
export const Head = z.strictObject({
  pool: moneyRow({}).refine(({ amount_minor }) => amount_minor >= 0, {
    error: 'is below zero',
    path: ['amount_minor'],
  }),
  /** What becomes of fractions of a unit: handed out by largest remainder, or left in the pool. */
  rounding: z.enum(['largest_remainder', 'down']).optional(),
  /** The account that is debited, for a payment file. */
  credit_transfer: CreditTransfer.optional(),
  /** The company that pays by ACH, for a NACHA file of a pool in USD. */
  ach: Ach.optional(),
})
export const Recipient = z.strictObject({
  id: Id,
  weight: Weight.optional(),
  /** Of the pool less fixed amounts; those of all recipients make up 100. */
  share_percent: Weight.optional(),
  /** Below zero: a balance that is still to be recouped, which is carried. */
  amount_minor: Minor.optional(),
  cap_minor: Amount.optional(),
  floor_minor: Amount.optional(),
  /** The same three in whole units, such as dollars. */
  amount: Major.optional(),
  cap: Major.optional(),
  floor: Major.optional(),
  /** That of the pool; a row in another one is refused. */
  currency: Currency.optional(),
  destination_reference: oneLine(256).optional(),
  /** An address on Base, where USDC is paid to. */
  wallet: oneLine(64).optional(),
  /** The account's holder, for a bank transfer. */
  name: oneLine(NAME_CHARS_MAX).optional(),
  iban: Iban.optional(),
  bic: Bic.optional(),
  remittance: Remittance.optional(),
  /** The account at a bank of the United States, for ACH. */
  routing_number: RoutingNumber.optional(),
  account_number: AccountNumber.optional(),
  account_type: AccountType.optional(),
})

const Allocation = z.strictObject({
  recipient_id: z.string(),
  amount_minor: z.int(),
  basis: z.enum(['weight', 'amount']),
  destination_reference: z.string().nullable(),
  citations: z.array(CitationShape),
})
/** Why the payout rail is not asked for a payment. */
const payoutRefusals = [
  'currency_not_usdc',
  'rows_differ',
  'wallet_missing',
  'wallet_malformed',
  'wallet_checksum_wrong',
  'wallet_is_zero',
  'over_payout_cap',
  'file_full',
] as const
/** Why a payment is not in the payment file for a bank. */
const transferRefusals = [
  'no_debtor_account',
  'currency_not_iso',
  'rows_differ',
  'account_missing',
  'name_missing',
  'name_not_latin',
  'outside_sepa',
  'over_sepa_maximum',
  'file_full',
] as const
/** Why a payment is not in the NACHA file. */
const achRefusals = [
  'no_company',
  'currency_not_usd',
  'rows_differ',
  'account_missing',
  'name_missing',
  'name_not_latin',
  'over_ach_maximum',
  'file_full',
] as const
export type AchRefusal = (typeof achRefusals)[number]
export type PayoutRefusal = (typeof payoutRefusals)[number]
export type TransferRefusal = (typeof transferRefusals)[number]

const Payment = z.strictObject({
  recipient_id: z.string(),
  amount_minor: z.int(),
  destination_reference: z.string().exactOptional(),
  wallet: z.string().exactOptional(),
  name: z.string().exactOptional(),
  /** Without blanks and in capitals. */
  iban: z.string().exactOptional(),
  bic: z.string().exactOptional(),
  remittance: z.string().exactOptional(),
  routing_number: z.string().exactOptional(),
  account_number: z.string().exactOptional(),
  account_type: z.enum(['checking', 'savings']).exactOptional(),
  /** Null: the package has a body of `payout-create` for it. */
  payout_refused: z.enum(payoutRefusals).nullable(),
  /** Null: it is in the payment file. */
  transfer_refused: z.enum(transferRefusals).nullable(),
  /** Null: it is in the NACHA file. */
  ach_refused: z.enum(achRefusals).nullable(),
})
export const Result = z.strictObject({
  currency: z.string(),
  allocations: z.array(Allocation),
  /** Balances below zero: nothing is paid to them, and they take nothing from others. */
  carried: z.array(
    z.strictObject({
      recipient_id: z.string(),
      balance_minor: z.int().max(-1),
      citations: z.array(CitationShape),
    }),
  ),
  /** Every allocation above zero, and where it can be sent. */
  payments: z.array(Payment),
  payout_calls: z.strictObject({
    ready: z.int(),
    refused: z.int(),
    amount_minor: z.int().meta({ description: 'The sum of the calls that are ready.' }),
  }),
  /** What the payment file says of itself; null where the input names no debtor. */
  credit_transfer: z
    .strictObject({
      debtor: z.strictObject({
        name: z.string(),
        iban: z.string(),
        bic: z.string().exactOptional(),
      }),
      execution_date: z.string(),
      created_at: z.string(),
      transactions: z.int(),
      control_sum_minor: z.int(),
      refused: z.int(),
    })
    .nullable(),
  /** What the NACHA file says of itself; null where the input names no company. */
  ach: Ach.extend({
    entries: z.int(),
    credit_total_minor: z.int(),
    /** The first eight digits of the routing numbers, added up; the last ten digits of the sum. */
    entry_hash: z.string(),
    refused: z.int(),
  }).nullable(),
  /** What is left in the pool. */
  remainder_minor: z.int(),
  duplicates: z.array(
    z.strictObject({
      recipient_id: z.string(),
      same: z.boolean(),
      citations: z.array(CitationShape),
    }),
  ),
  refused: z.array(
    z.strictObject({
      recipient_id: z.string(),
      reason: z.string(),
      citations: z.array(CitationShape),
    }),
  ),
  caps_applied: z.array(
    z.strictObject({
      recipient_id: z.string(),
      kind: z.enum(['cap', 'floor']),
      limit_minor: Minor,
    }),
  ),
  total_check: z.strictObject({
    pool_minor: z.int(),
    allocated_minor: z.int(),
    remainder_minor: z.int(),
    balances: z.boolean(),
  }),
  /** SHA-256 of the canonical JSON of pool, rounding and payments (recipient, amount, and each destination that is named; null for others), in the order of ids. */
  manifest_sha256: z.string(),
  batch: z.strictObject({
    ready_for_review: z.boolean(),
    payments: z.int(),
    blockers: z.array(z.string()),
  }),
})

export type Payment = z.infer<typeof Payment>
export type Head = z.infer<typeof Head>
export type Result = z.infer<typeof Result>
type Pool = { currency: string; amount_minor: number }
export type DistributionInput = Omit<Head, 'pool'> & {
  pool: Pool
  recipients: z.infer<typeof Recipient>[]
}
