import type { Logger } from 'pino'
import { createDelegationSteps } from '../activities/authority/delegation.ts'
import type { Config } from '../activities/config/config.ts'
import { modelNamed } from '../activities/config/model-settings.ts'
import { railOf, receiptSigner } from '../activities/container.ts'
import { openKeyRings } from '../activities/signer/open.ts'
import type { OpenDatabase } from '../activities/store/postgres/db.ts'
import { createFiringSteps } from '../activities/tasks/firings.ts'
import { createApi } from '../api/compose.ts'
import { createAgentCalls, createDelegatedCalls } from '../api/delegation/calls.ts'
import { operations } from '../api/operations/index.ts'
import type { DelegationSteps } from '../workflows/delegation/activities.ts'
import type { FiringSteps } from '../workflows/firing/activities.ts'

/** The steps of delegated actions and of firings: they run the operations of the API in this process, through their own pipeline. */
export async function createDelegationActivities(
  config: Config,
  log: Logger,
  store: OpenDatabase,
): Promise<{ activities: DelegationSteps & FiringSteps; close(): Promise<void> }> {
  const { deps, close } = await createApi(config, log, store)
  const keys = await openKeyRings(config)
  const { issuer, environment } = railOf(config)
  const activities = createDelegationSteps({
    db: deps.db,
    keys,
    signReceipt: receiptSigner(keys),
    issuer,
    origin: config.BASE_URL,
    environment,
    ...createDelegatedCalls(deps, operations),
  })
  const callAs = createAgentCalls(deps, operations)
  const firings = createFiringSteps({ db: deps.db, callAs, issuer, model: modelNamed(config) })
  return { activities: { ...activities, ...firings }, close }
}
