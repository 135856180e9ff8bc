/** Workflows, and the local activities that are their short steps. */
export const PAYOUTS_QUEUE = 'payouts'
/** Activities that need the payout wallet's key; may be served by a process of its own. */
export const SIGNING_QUEUE = 'signing'
/** Activities that speak to the chain and need the gas wallets' keys. */
export const TRANSFERS_QUEUE = 'transfers'
/** Activities that send callbacks: the only ones that need a way out to the internet. */
export const CALLBACKS_QUEUE = 'callbacks'
/** Workflows of tasks and their runs, and the local activities that are their short steps. */
export const TASKS_QUEUE = 'tasks'
/** The steps of runs, rail work among them; a long one holds up nobody's short steps when it has a process of its own. */
export const RUNS_QUEUE = 'runs'
