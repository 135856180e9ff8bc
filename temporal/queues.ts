/** Workflows, and the local activities that are their short steps. */
export const PAYOUTS_QUEUE = 'payouts'
/** Activities that need the payout wallet's key; may be served by a process of its own. */
export const SIGNING_QUEUE = 'signing'
/** Activities that speak to the chain and need the gas wallets' keys. */
export const TRANSFERS_QUEUE = 'transfers'
/** Activities that send callbacks: the only ones that need a way out to the internet. */
export const CALLBACKS_QUEUE = 'callbacks'
