import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { openStore } from '../../activities/container.ts'
import { createDelegationActivities } from '../../worker/delegation.ts'
import type { ComposedApis } from './composed-api.ts'
import { urlAs } from './postgres.ts'

/** Performs delegated actions and firings as a worker does, by its role in the database and without Temporal. */
export async function performDelegations({ config, env, db }: ComposedApis) {
  const asWorker = { ...config, DATABASE_URL: urlAs('worker', env['DATABASE_URL'] as string) }
  const store = openStore(asWorker, 'worker')
  const { activities, close } = await createDelegationActivities(
    asWorker,
    pino({ level: 'silent' }),
    store,
  )
  const stopped = new AbortController()
  const performing = performOpen()
  async function performOpen(): Promise<void> {
    while (!stopped.signal.aborted) {
      const open = await db
        .selectFrom('delegated_actions')
        .select('action_id')
        .where('state', 'in', ['reserved', 'started'])
        .limit(20)
        .execute()
      // An outcome that is not known yet is tried again.
      await Promise.all(
        open.map(({ action_id }) => activities.performAction(action_id).catch(() => undefined)),
      )
      await pause(20)
    }
  }
  return {
    fireWorkflow: activities.fireWorkflow,
    stop: async () => {
      stopped.abort()
      await performing
      await close()
      await store.close()
    },
  }
}
