import fc from 'fast-check'
import { expect } from 'vitest'
import { configSchema } from '../../activities/config/config.ts'
import {
  CALLBACKS_QUEUE,
  checkQueues,
  PAYOUTS_QUEUE,
  RUNS_QUEUE,
  SIGNING_QUEUE,
  STRANGERS_QUEUE,
  TASKS_QUEUE,
  TRANSFERS_QUEUE,
} from '../../temporal/queues.ts'
import { verifies } from '../verifies.ts'

const money = [PAYOUTS_QUEUE, SIGNING_QUEUE, TRANSFERS_QUEUE]
const runs = [RUNS_QUEUE, STRANGERS_QUEUE]
const queues = [...money, CALLBACKS_QUEUE, TASKS_QUEUE, ...runs]

verifies(
  'isolation.queues',
  'a worker serves every queue but runs unless it is configured otherwise',
  () => {
    const served = configSchema.shape.TASK_QUEUES.parse(undefined)
    expect(new Set(served)).toEqual(new Set([...money, CALLBACKS_QUEUE, TASKS_QUEUE]))
  },
)

verifies(
  'isolation.queues',
  'a process that would serve runs and move money refuses to start',
  () => {
    fc.assert(
      fc.property(fc.subarray(queues, { minLength: 1 }), (served) => {
        const shared =
          runs.some((queue) => served.includes(queue)) &&
          served.some((queue) => money.includes(queue))
        if (shared)
          expect(() => checkQueues(served)).toThrow(
            'the queues of runs need a separate worker process',
          )
        else expect(() => checkQueues(served)).not.toThrow()
      }),
    )
  },
)
