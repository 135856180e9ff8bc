/** What the fields of listings, prospects and packs mean. */
export const sellingMeanings: Readonly<Record<string, string>> = {
  trust_listing_id: 'The listing, as create-trust-listing answered it.',
  display_name: 'The name that everyone sees.',
  summary: 'What the agent does, for everyone who reads the list.',
  evidence_receipt_ids: 'Receipts of this service about you, of operational work.',
  months: 'How long the badge is active once its fee is settled.',
  commercial_plan_id: 'The plan, as create-trust-badge-plan answered it.',
  'record-trust-badge-fee-event event': 'What the ledger is to confirm of the fee.',
  trust_badge_state: 'Only listings whose badge is in this state now.',
}
