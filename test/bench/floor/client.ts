import { randomBytes } from 'node:crypto'
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client'
import type pg from 'pg'
import { serveParent } from '../child.ts'
import { type Events, openEvents } from '../events.ts'
import { type Clock, drive, type Run } from '../figures.ts'
import { FLOOR_QUEUE, type FloorStep, type FloorVariant } from './messages.ts'
import { commit, grant, openPool } from './rows.ts'
import type { floor } from './workflow.ts'

/** The floor's callers: each writes what the rail's API writes and sends the update, without HTTP in between. */
export type FloorClientSettings = { temporalAddress: string; databaseUrl: string }
export type RunFloor = { callers: number; variant: FloorVariant }

type FloorCall = { step: FloorStep; nonce: string; input: string }
type Subject = { payoutId: string; calls: [FloorCall, FloorCall, FloorCall] }
type Opened = { client: Client; pool: pg.Pool; events: Events }

const state = { opened: undefined as Opened | undefined, subjects: [] as Subject[] }

serveParent(
  {
    open: async ({ temporalAddress, databaseUrl }: FloorClientSettings) => {
      const connection = Connection.lazy({ address: temporalAddress, interceptors: [] })
      const events = await openEvents(databaseUrl)
      state.opened = { client: new Client({ connection }), pool: openPool(databaseUrl), events }
    },

    prepare: async (count: number) => {
      state.subjects = Array.from({ length: count }, newSubject)
      return state.subjects.map(({ payoutId }) => payoutId)
    },

    run: async (asked: RunFloor): Promise<Run> => {
      const { opened } = state
      if (opened === undefined) throw new Error('open comes first')
      const run = await drive(asked.callers, state.subjects, (subject, clock) =>
        payout(opened, subject, asked.variant, clock),
      )
      return { ...run, repeats: 0 }
    },
  },
  async () => {
    await state.opened?.pool.end()
    await state.opened?.events.close()
  },
)

async function payout(
  { client, pool, events }: Opened,
  { payoutId, calls }: Subject,
  variant: FloorVariant,
  { lap }: Clock,
): Promise<void> {
  const [create, authorize, execute] = calls
  const handle = client.workflow.getHandle<typeof floor>(payoutId)
  await before(pool, 'payout-create', create)
  lap('create: writes before')
  const startWorkflowOperation = new WithStartWorkflowOperation<typeof floor>('floor', {
    workflowId: payoutId,
    taskQueue: FLOOR_QUEUE,
    args: [payoutId, variant],
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
  await client.workflow.executeUpdateWithStart('create', { args: [create.step], startWorkflowOperation })
  lap('create: update with start')
  await before(pool, 'payout-authorize', authorize)
  await handle.executeUpdate<void, [FloorStep]>('authorize', { args: [authorize.step] })
  lap('authorize')
  await before(pool, 'payout-execute', execute)
  await handle.executeUpdate<void, [FloorStep]>('execute', { args: [execute.step] })
  lap('execute')
  if (variant === 'signing') await events.seen(`signed:${payoutId}`)
  lap('signed')
}

/** What the rail's API has stored before it sends an update. */
async function before(pool: pg.Pool, operation: string, { step, nonce, input }: FloorCall): Promise<void> {
  await commit(pool, grant(operation, step, nonce, input))
}

function newSubject(): Subject {
  const payoutId = `po_${hex(32)}`
  const creator = `0x${hex(20)}`
  // As long as the input of a create, an authorize and an execute.
  const call = (bytes: number): FloorCall => ({
    step: { payoutId, creator, callId: `call_${hex(32)}`, digest: hex(32) },
    nonce: hex(16),
    input: JSON.stringify(hex(bytes / 2)),
  })
  return { payoutId, calls: [call(400), call(3600), call(100)] }
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex')
