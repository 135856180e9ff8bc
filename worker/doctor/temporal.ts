import type { Client } from '@temporalio/client'
import type { Config } from '../../activities/config/config.ts'
import { createTemporalClient } from '../../temporal/connection.ts'
import { taskQueues } from '../../temporal/queues.ts'
import { listPollers, namespaceExists } from '../../temporal/readiness.ts'
import { missingSearchAttributes } from '../../temporal/search-attributes.ts'
import { type Check, type Finding, fault, fine, runCheck } from './check.ts'

const ANSWERS = 'Start Temporal, or correct TEMPORAL_ADDRESS, TEMPORAL_TLS and TEMPORAL_API_KEY.'
const WITHIN_MS = 4_000

/** Checks the namespace, its search attributes, and that workers poll every task queue. */
export async function checkTemporal(config: Config): Promise<Check[]> {
  const { client, close } = createTemporalClient(config)
  try {
    const namespace = await runCheck('temporal namespace', ANSWERS, async () =>
      checkNamespace(config.TEMPORAL_NAMESPACE, await namespaceExists(client, WITHIN_MS)),
    )
    if (!namespace.ok) return [namespace]
    const attributes = runCheck('search attributes', ANSWERS, async () =>
      checkAttributes(config.TEMPORAL_NAMESPACE, await missingSearchAttributes(client, WITHIN_MS)),
    )
    return [
      namespace,
      ...(await Promise.all([
        attributes,
        ...Object.entries(taskQueues).map(([queue, kind]) => checkPollers(client, queue, kind)),
      ])),
    ]
  } finally {
    await close()
  }
}

function checkPollers(
  client: Client,
  queue: string,
  kind: 'workflow' | 'activity',
): Promise<Check> {
  return runCheck(`workers on ${queue}`, ANSWERS, async () => {
    const pollers = await listPollers(client, { taskQueue: queue, ms: WITHIN_MS, kind })
    if (pollers.length > 0) return fine(pollers.join(', '))
    return fault('no worker polls', `Start node dist/worker/main.js with ${queue} in TASK_QUEUES.`)
  })
}

function checkNamespace(namespace: string, exists: boolean): Finding {
  if (exists) return fine(`${namespace} is there`)
  return fault(
    `there is no namespace ${namespace}`,
    `temporal operator namespace create --namespace ${namespace} --retention 72h, or correct TEMPORAL_NAMESPACE.`,
  )
}

/** `missing` maps the name of a search attribute to its type. */
export function checkAttributes(
  namespace: string,
  missing: Readonly<Record<string, string>>,
): Finding {
  const names = Object.keys(missing)
  if (names.length === 0) return fine('all registered')
  const flags = Object.entries(missing).map(([name, type]) => `--name ${name} --type ${type}`)
  return fault(
    `${names.join(', ')} missing or of another type`,
    `temporal operator search-attribute create --namespace ${namespace} ${flags.join(' ')}`,
  )
}
