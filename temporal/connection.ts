import { readFileSync } from 'node:fs'
import { Client, Connection, type TLSConfig } from '@temporalio/client'
import type { Config } from '../activities/config/config.ts'
import { traceCalls } from './tracing.ts'

type Files = Pick<
  Config,
  'TEMPORAL_TLS_CA_FILE' | 'TEMPORAL_TLS_CERT_FILE' | 'TEMPORAL_TLS_KEY_FILE'
>
type Address = Partial<Files> &
  Pick<Config, 'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE' | 'TEMPORAL_API_KEY' | 'TEMPORAL_TLS'>

/** Where the server is, how to reach it, and what shows it who we are. */
export function serverOptions(where: Address) {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_API_KEY: apiKey } = where
  const files = tlsFiles(where)
  const isOn = where.TEMPORAL_TLS === 'on' || apiKey !== ''
  const tls = files ?? (isOn ? true : undefined)
  return { address, ...(tls && { tls }), ...(apiKey !== '' && { apiKey }) }
}

/** The authority and the client certificate; undefined where no setting names one. */
function tlsFiles(where: Partial<Files>): TLSConfig | undefined {
  const {
    TEMPORAL_TLS_CA_FILE: ca,
    TEMPORAL_TLS_CERT_FILE: crt,
    TEMPORAL_TLS_KEY_FILE: key,
  } = where
  if (!ca && !crt) return undefined
  return {
    ...(ca && { serverRootCACertificate: readFileSync(ca) }),
    ...(crt && key && { clientCertPair: { crt: readFileSync(crt), key: readFileSync(key) } }),
  }
}

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
