import { Client, Connection } from '@temporalio/client'
import type { Config } from '../activities/config/config.ts'
import { traceCalls } from './trace-calls.ts'

type Address = Pick<
  Config,
  'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE' | 'TEMPORAL_API_KEY' | 'TEMPORAL_TLS'
>

/** Where the server is, and how to reach it. */
export const serverOptions = (where: Address) => ({
  address: where.TEMPORAL_ADDRESS,
  ...(where.TEMPORAL_TLS === 'on' || where.TEMPORAL_API_KEY !== '' ? { tls: true as const } : {}),
  ...(where.TEMPORAL_API_KEY === '' ? {} : { apiKey: where.TEMPORAL_API_KEY }),
})

export type { Client as TemporalClient } from '@temporalio/client'

/**
 * A client that connects on first use and reconnects by itself. It has no retrying interceptor: hidden retries would turn an
 * exhausted server into a slow one, and our callers check Postgres before they retry.
 */
export function createTemporalClient(where: Address): { client: Client; close(): Promise<void> } {
  const channelArgs = {
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
  }
  const connection = Connection.lazy({ ...serverOptions(where), interceptors: [], channelArgs })
  return {
    client: new Client({
      connection,
      namespace: where.TEMPORAL_NAMESPACE,
      interceptors: { workflow: [traceCalls] },
    }),
    close: () => connection.close(),
  }
}
