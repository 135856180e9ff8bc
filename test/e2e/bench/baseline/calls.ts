import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client'
import { type BaselineStep, type BaselineVariant, FLOOR_QUEUE } from './messages.ts'
import { commit, counted, grant, left, openPool, placed } from './rows.ts'
import type { baseline } from './workflow.ts'

/** Where the baseline's Temporal and Postgres answer. */
export type MinimumBalanceSettings = { temporalAddress: string; databaseUrl: string }
/** One durable call: what the rail's API stores before it sends an update is stored with `nonce` and `input`. */
export type BaselineCall = { step: BaselineStep; nonce: string; input: string }
export type BaselineCalls = {
  create(call: BaselineCall, variant: BaselineVariant, lap?: (part: string) => void): Promise<void>
  authorize(call: BaselineCall): Promise<void>
  execute(call: BaselineCall): Promise<void>
  close(): Promise<void>
}

/** The baseline's three durable calls: the writes before, then the update. */
export function openBaselineCalls({
  temporalAddress,
  databaseUrl,
}: MinimumBalanceSettings): BaselineCalls {
  const client = new Client({
    connection: Connection.lazy({ address: temporalAddress, interceptors: [] }),
  })
  const pool = openPool(databaseUrl)
  const before = (operation: string, { step, nonce, input }: BaselineCall) =>
    commit(pool, grant(operation, step, nonce, input))
  const update = (name: string, { step }: BaselineCall) =>
    client.workflow
      .getHandle<typeof baseline>(step.payoutId)
      .executeUpdate<void, [BaselineStep]>(name, { args: [step] })
  return {
    create: async (call, variant, lap) => {
      await commit(pool, counted(call.step))
      await before('payout-create', call)
      lap?.('create: writes before')
      const startWorkflowOperation = new WithStartWorkflowOperation<typeof baseline>('baseline', {
        workflowId: call.step.payoutId,
        taskQueue: FLOOR_QUEUE,
        args: [call.step.payoutId, variant],
        workflowIdConflictPolicy: 'USE_EXISTING',
      })
      await client.workflow.executeUpdateWithStart('create', {
        args: [call.step],
        startWorkflowOperation,
      })
      lap?.('create: update with start')
    },
    authorize: async (call) => {
      await before('payout-authorize', call)
      await commit(pool, placed(call.step))
      await update('authorize', call)
      await commit(pool, left(call.step))
    },
    execute: async (call) => {
      await before('payout-execute', call)
      await update('execute', call)
    },
    close: () => pool.end(),
  }
}
