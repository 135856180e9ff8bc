import { z } from 'zod'
import { Currency, Id, oneLine } from '../input/names.ts'
import { MINOR_MAX, Minor } from '../values/amounts.ts'
import { CitationShape } from '../work/notes.ts'
import { Bic, Iban } from './accounts.ts'
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
export const Head = z.strictObject({
  pool: z.strictObject({ amount_minor: Amount, currency: Currency }),
  /** What becomes of fractions of a unit: handed out by largest remainder, or left in the pool. */
  rounding: z.enum(['largest_remainder', 'down']).optional(),
  /** The account that is debited, for a payment file. */
  credit_transfer: CreditTransfer.optional(),
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
  destination_reference: oneLine(256).optional(),
  /** An address on Base, where USDC is paid to. */
  wallet: oneLine(64).optional(),
  /** The account's holder, for a bank transfer. */
  name: oneLine(NAME_CHARS_MAX).optional(),
  iban: Iban.optional(),
  bic: Bic.optional(),
  remittance: Remittance.optional(),
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
  /** Null: the package has a body of `payout-create` for it. */
  payout_refused: z.enum(payoutRefusals).nullable(),
  /** Null: it is in the payment file. */
  transfer_refused: z.enum(transferRefusals).nullable(),
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
  /** SHA-256 of the canonical JSON of pool, rounding and payments (recipient, amount, and each destination that is named), in the order of ids. */
  manifest_sha256: z.string(),
  batch: z.strictObject({
    ready_for_review: z.boolean(),
    payments: z.int(),
    blockers: z.array(z.string()),
  }),
})

export type Payment = z.infer<typeof Payment>
export type Head = z.infer<typeof Head>
export type Recipient = z.infer<typeof Recipient>
export type Result = z.infer<typeof Result>
export type DistributionInput = Head & { recipients: Recipient[] }
