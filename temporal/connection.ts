import { Client, Connection } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import type { Config } from '../activities/config/config.ts'

type Where = Pick<
  Config,
  'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE' | 'TEMPORAL_API_KEY' | 'TEMPORAL_TLS'
>

const options = (where: Where) => ({
  address: where.TEMPORAL_ADDRESS,
  ...(where.TEMPORAL_TLS === 'on' || where.TEMPORAL_API_KEY !== '' ? { tls: true as const } : {}),
  ...(where.TEMPORAL_API_KEY === '' ? {} : { apiKey: where.TEMPORAL_API_KEY }),
})

/**
 * A client that connects when it is first used and comes back by itself. It has no retrying interceptor: ten hidden
 * retries would turn "exhausted" into slowness, and every failure of ours is looked up in Postgres before it is repeated.
 */
export type { Client as TemporalClient } from '@temporalio/client'

export function createTemporalClient(where: Where): { client: Client; close(): Promise<void> } {
  const channelArgs = {
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
  }
  const connection = Connection.lazy({ ...options(where), interceptors: [], channelArgs })
  return {
    client: new Client({ connection, namespace: where.TEMPORAL_NAMESPACE }),
    close: () => connection.close(),
  }
}

/** A connection for one worker; two workers in one process need two of them. */
export function connectWorker(where: Where): Promise<NativeConnection> {
  return NativeConnection.connect(options(where))
}
