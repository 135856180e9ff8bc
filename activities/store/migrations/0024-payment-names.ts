const named = `method in ('hosted_checkout','payment_reference','invoice_reference')`
const isOpen = `state not in ('rejected','expired')`

/** Anyone may present the name of a payment, so that only a confirmed one has it; an event names what it pays. */
export const paymentNames: readonly string[] = [
  `alter table provider_events add column wallet_id text`,
  `create index provider_events_unnamed on provider_events (received_at) where outcome = 'pending'`,
  `alter table payment_references drop constraint payment_references_reason_code_check,
    add constraint payment_references_reason_code_check check (reason_code in ('amount_mismatch','unclear_payment'))`,
  `drop index payment_references_external`,
  `drop index payment_references_session`,
  `create unique index payment_references_external on payment_references (method, external_reference)
    where not (${named}) and ${isOpen}`,
  `create unique index payment_references_session on payment_references (external_reference)
    where ${named} and state in ('verified','disputed')`,
  `create unique index payment_references_top_up on payment_references (wallet_id, method, external_reference)
    where wallet_id is not null and ${isOpen}`,
  `create index payment_references_names on payment_references (external_reference)`,
]
