/** Workflows of payouts, payments and callbacks, with the local activities of their short steps. */
export const PAYOUTS_QUEUE = 'payouts'
/** Activities that need the key of the payout wallet; a separate process may serve them. */
export const SIGNING_QUEUE = 'signing'
/** Activities that use the chain and need the keys of the gas wallets. */
export const TRANSFERS_QUEUE = 'transfers'
/** Activities that send callbacks: the only ones that need access to the internet. */
export const CALLBACKS_QUEUE = 'callbacks'
/** Workflows of tasks, runs and tests of this service, with the local activities of their short steps. */
export const TASKS_QUEUE = 'tasks'
/** The steps of runs that are paid for, and the readings of uploads of trusted agents; a separate process serves them. */
export const RUNS_QUEUE = 'runs'
/** The same of everyone else, so that no stranger holds a place of what is paid for. */
export const STRANGERS_QUEUE = 'strangers'

/** Every queue, and what its workers poll for. */
export const taskQueues = {
  [PAYOUTS_QUEUE]: 'workflow',
  [SIGNING_QUEUE]: 'activity',
  [TRANSFERS_QUEUE]: 'activity',
  [CALLBACKS_QUEUE]: 'activity',
  [TASKS_QUEUE]: 'workflow',
  [RUNS_QUEUE]: 'activity',
  [STRANGERS_QUEUE]: 'activity',
} as const satisfies Record<string, 'workflow' | 'activity'>
export type TaskQueue = keyof typeof taskQueues

const moneyQueues: readonly string[] = [PAYOUTS_QUEUE, SIGNING_QUEUE, TRANSFERS_QUEUE]

/** These queues, each once; throws when one does not exist, or when one process would serve `runs` together with a queue that moves money. */
export function checkQueues(queues: readonly string[]): ReadonlySet<TaskQueue> {
  const isKnown = (queue: string): queue is TaskQueue => Object.hasOwn(taskQueues, queue)
  const unknown = queues.filter((queue) => !isKnown(queue))
  const all = Object.keys(taskQueues).join(', ')
  if (queues.length === 0) throw new Error(`configuration: TASK_QUEUES names no queue of ${all}`)
  if (unknown.length > 0)
    throw new Error(
      `configuration: TASK_QUEUES: there is no queue ${unknown.join(', ')}; there are ${all}`,
    )
  const shared = queues.filter((queue) => moneyQueues.includes(queue))
  const runs = [RUNS_QUEUE, STRANGERS_QUEUE].filter((queue) => queues.includes(queue))
  if (runs.length > 0 && shared.length > 0)
    throw new Error(
      `TASK_QUEUES: the queues of runs need a separate worker process, apart from ${shared.join(', ')}; start another with TASK_QUEUES=runs,strangers`,
    )
  return new Set(queues.filter(isKnown))
}
