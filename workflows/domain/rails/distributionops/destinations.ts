import { groupedBy } from '../../core/grouped-by.ts'
import { cite, type Notes } from '../work/notes.ts'
import type { Recipient } from './in-minor.ts'
import { latinText } from './latin-text.ts'
import { ACH_NAME_CHARS } from './nacha.ts'
import { destinationsOf, PAYOUT_CURRENCY } from './payments.ts'
import { type Head, NAME_CHARS_MAX, type Payment, REMITTANCE_CHARS_MAX } from './schema.ts'

/** What a recipient gets, with the index of its row. */
export type Paid = { recipient: Recipient; index: number; amount: bigint }
type Noted = {
  findings: Notes<'shared_destinations' | 'texts_rewritten'>
  gaps: Notes<
    | 'no_destination'
    | 'payouts_refused'
    | 'transfers_refused'
    | 'no_debtor_account'
    | 'no_ach_company'
  >
}

/** `Anna` and `anna ` are two ids, and may well be one person who is paid twice. */
export function noteAlikeIds(paid: readonly Paid[], findings: Notes<'ids_alike'>): void {
  const alike = groupedBy(paid, ({ recipient }) =>
    recipient.id
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[\s\p{Cf}]+/gu, ''),
  )
  for (const same of alike.values())
    if (same.length > 1)
      for (const { index } of same) findings.add('ids_alike', [cite('recipients', index, 'id')])
}

export function noteDestinations(paid: readonly Paid[], { findings, gaps }: Noted): void {
  const uses = new Map<string, number>()
  for (const { recipient, index } of paid) {
    const named = accountsOf(recipient)
    if (named.length === 0) gaps.add('no_destination', [cite('recipients', index)])
    for (const { account } of named) uses.set(account, (uses.get(account) ?? 0) + 1)
  }
  for (const { recipient, index } of paid) {
    const shared = accountsOf(recipient).filter(({ account }) => (uses.get(account) ?? 0) > 1)
    if (shared.length === 0) continue
    const citations = shared.map(({ field }) => cite('recipients', index, field))
    findings.add('shared_destinations', citations)
  }
}

/** The destinations of a recipient, those of one account in one form. */
function accountsOf(recipient: Recipient): { field: string; account: string }[] {
  const { destination_reference, wallet, iban, routing_number, account_number } =
    destinationsOf(recipient)
  const isOfAch = routing_number !== undefined && account_number !== undefined
  const named = {
    destination_reference,
    wallet: wallet?.toLowerCase(),
    iban,
    account_number: isOfAch ? `${routing_number} ${account_number}` : undefined,
  }
  return Object.entries(named).flatMap(([field, account]) =>
    account === undefined ? [] : [{ field, account: `${field} ${account}` }],
  )
}

export function notePayments(
  paid: readonly Paid[],
  payments: readonly Payment[],
  { pool, credit_transfer: asked, ach }: Head,
  { findings, gaps }: Noted,
): void {
  for (const [at, { index }] of paid.entries()) {
    const payment = payments[at] as Payment
    const { payout_refused, transfer_refused, ach_refused, iban, name, remittance } = payment
    const place = [cite('recipients', index)]
    if (pool.currency === PAYOUT_CURRENCY && payout_refused !== null)
      gaps.add('payouts_refused', place)
    if (asked === undefined && iban !== undefined) gaps.add('no_debtor_account', place)
    if (ach === undefined && payment.account_number !== undefined) gaps.add('no_ach_company', place)
    const isAsked = asked !== undefined || ach !== undefined
    const isSent = transfer_refused === null || ach_refused === null
    if (isAsked && !isSent) gaps.add('transfers_refused', place)
    if (ach_refused === null && latinText(name ?? '', ACH_NAME_CHARS) !== name)
      findings.add('texts_rewritten', place)
    if (transfer_refused !== null) continue
    const isKept =
      latinText(name ?? '', NAME_CHARS_MAX, iban) === name &&
      (remittance === undefined || latinText(remittance, REMITTANCE_CHARS_MAX, iban) === remittance)
    if (!isKept) findings.add('texts_rewritten', place)
  }
}
