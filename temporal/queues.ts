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
/** The steps of runs, which work on agents' inputs; served by a process of its own. */
export const RUNS_QUEUE = 'runs'

const moneyQueues: readonly string[] = [PAYOUTS_QUEUE, SIGNING_QUEUE, TRANSFERS_QUEUE]

/** Throws when one process would serve `runs` together with a queue that moves money. */
export function refuseSharedRuns(queues: readonly string[]): void {
  const shared = queues.filter((queue) => moneyQueues.includes(queue))
  if (queues.includes(RUNS_QUEUE) && shared.length > 0)
    throw new Error(
      `TASK_QUEUES: runs has a worker process of its own, apart from ${shared.join(', ')}; start another with TASK_QUEUES=runs`,
    )
}
