/** The parts of a reconciliation, in the order in which they are walked. */
export const sections = [
  'payouts',
  'payments',
  'blocks',
  'wallets',
  'workflows',
  'provider_events',
] as const
export type Section = (typeof sections)[number]

/** The closed vocabulary of differences: code → the section that finds it, and what it says. */
export const differenceCodes = {
  transfer_not_on_chain: {
    section: 'payouts',
    title: 'a transfer stands as paid, but the chain does not show it',
  },
  transfer_unrecorded: {
    section: 'payouts',
    title: 'the chain has settled a transfer, but its row says otherwise',
  },
  transfer_conflict: {
    section: 'payouts',
    title: 'the nonce of a transfer was used without its exact transfer',
  },
  state_contradicts_transfer: {
    section: 'payouts',
    title: 'the state of a payout does not fit its transfer',
  },
  transfer_without_workflow: {
    section: 'payouts',
    title: 'a transfer is under way, but no workflow drives it',
  },
  workflow_contradicts_row: {
    section: 'payouts',
    title: 'the workflow of a payout believes something else',
  },
  receipt_missing: {
    section: 'payouts',
    title: 'the receipts of a payout are not those of its state',
  },
  receipt_chain_broken: {
    section: 'payouts',
    title: 'the receipts of a payout do not follow from each other',
  },
  receipt_invalid: { section: 'payouts', title: 'the signature of a receipt does not verify' },
  receipt_contradicts_row: {
    section: 'payouts',
    title: 'a receipt says something else than the row',
  },
  effect_without_charge: {
    section: 'payouts',
    title: 'a step of a payout was made without a call that is charged',
  },
  payment_not_on_chain: {
    section: 'payments',
    title: 'a fee stands as settled, but the chain does not show it',
  },
  payment_unrecorded: {
    section: 'payments',
    title: 'the chain has settled a fee, but its row says otherwise',
  },
  charge_without_effect: {
    section: 'payments',
    title: 'a fee was taken and nothing was done for it',
  },
  charge_with_two_effects: { section: 'payments', title: 'one fee stands behind several calls' },
  answer_without_charge: {
    section: 'payments',
    title: 'a paid answer was given out before its fee settled',
  },
  unexplained_outgoing: {
    section: 'blocks',
    title: 'the payout wallet paid something that no payout explains',
  },
  unexplained_incoming: {
    section: 'blocks',
    title: 'the pay-to address got something that no fee explains',
  },
  daily_cap_exceeded: {
    section: 'wallets',
    title: 'more than the daily cap left the payout wallet within a day',
  },
  lane_unsettled: {
    section: 'wallets',
    title: 'the chain is past a nonce whose transaction is still open here',
  },
  lane_foreign_transaction: {
    section: 'wallets',
    title: 'a gas wallet sent a transaction that is not ours',
  },
  workflow_failed: { section: 'workflows', title: 'a workflow failed, which none ever should' },
  event_unmatched: {
    section: 'provider_events',
    title: 'a provider speaks of a payment that is not known here',
  },
  event_refused: { section: 'provider_events', title: 'what a provider says could not be applied' },
  paid_twice: {
    section: 'provider_events',
    title: 'another payment came for what was paid before, and settled nothing',
  },
  payment_asked_about: {
    section: 'provider_events',
    title: 'a bank asks about a payment, which may become a dispute',
  },
  payment_disputed: {
    section: 'provider_events',
    title: 'a payment is disputed, and its credit rests until that is decided',
  },
  payment_partly_returned: {
    section: 'provider_events',
    title: 'a part of a payment went back, and its credit stands',
  },
  payment_returned_after_use: {
    section: 'provider_events',
    title: 'a payment went back after work was done for it',
  },
  payment_restored: {
    section: 'provider_events',
    title: 'money that had gone back is here again, and its credit is restored',
  },
  refund_failed: {
    section: 'provider_events',
    title: 'money that was to go back is still here, and its credit is as it was',
  },
} as const satisfies Record<string, { section: Section; title: string }>
export type DifferenceCode = keyof typeof differenceCodes

/** Something that two of chain, rows, workflows and receipts say differently; `evidence` has both sides as they were seen. */
export type Difference = {
  readonly code: DifferenceCode
  /** A payout id, `payment/<id>`, `<transaction hash>:<log index>`, a wallet, a workflow id, or `event/<provider>/<event id>`. */
  readonly subject: string
  readonly evidence: { readonly stored: unknown; readonly found: unknown }
  /** The block that a difference of `blocks` stands in. */
  readonly blockNumber?: string
}
