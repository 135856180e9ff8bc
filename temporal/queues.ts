/** Workflows and every activity but signing. */
export const PAYOUTS_QUEUE = 'payouts'
/** Activities that need the payout wallet's key; may be served by a process of its own. */
export const SIGNING_QUEUE = 'signing'
