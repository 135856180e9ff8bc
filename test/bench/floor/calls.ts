import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client'
import { FLOOR_QUEUE, type FloorStep, type FloorVariant } from './messages.ts'
import { commit, counted, grant, left, openPool, placed } from './rows.ts'
import type { floor } from './workflow.ts'

/** Where the floor's Temporal and Postgres answer. */
export type FloorSettings = { temporalAddress: string; databaseUrl: string }
/** One durable call: what the rail's API stores before it sends an update is stored with `nonce` and `input`. */
export type FloorCall = { step: FloorStep; nonce: string; input: string }
export type FloorCalls = {
  create(call: FloorCall, variant: FloorVariant, lap?: (part: string) => void): Promise<void>
  authorize(call: FloorCall): Promise<void>
  execute(call: FloorCall): Promise<void>
  close(): Promise<void>
}

/** The floor's three durable calls: the writes before, then the update. */
export function openFloorCalls({ temporalAddress, databaseUrl }: FloorSettings): FloorCalls {
  const client = new Client({ connection: Connection.lazy({ address: temporalAddress, interceptors: [] }) })
  const pool = openPool(databaseUrl)
  const before = (operation: string, { step, nonce, input }: FloorCall) =>
    commit(pool, grant(operation, step, nonce, input))
  const update = (name: string, { step }: FloorCall) =>
    client.workflow.getHandle<typeof floor>(step.payoutId).executeUpdate<void, [FloorStep]>(name, { args: [step] })
  return {
    create: async (call, variant, lap) => {
      await commit(pool, counted(call.step))
      await before('payout-create', call)
      lap?.('create: writes before')
      const startWorkflowOperation = new WithStartWorkflowOperation<typeof floor>('floor', {
        workflowId: call.step.payoutId,
        taskQueue: FLOOR_QUEUE,
        args: [call.step.payoutId, variant],
        workflowIdConflictPolicy: 'USE_EXISTING',
      })
      await client.workflow.executeUpdateWithStart('create', { args: [call.step], startWorkflowOperation })
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
