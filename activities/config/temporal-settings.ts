import { z } from 'zod'
import { hostAndPort, text } from './setting-kinds.ts'

/** Where Temporal's frontend is, and how this process shows it who it is. */
export const temporalSettings = {
  TEMPORAL_ADDRESS: hostAndPort
    .default('127.0.0.1:7233')
    .describe('host and port of the Temporal frontend'),
  TEMPORAL_NAMESPACE: text('default').describe(
    'has to be there, with the search attributes registered',
  ),
  TEMPORAL_API_KEY: text().describe('of Temporal Cloud; turns TLS on'),
  TEMPORAL_TLS: z.enum(['on', 'off']).default('off').describe('on: TLS to the frontend'),
  TEMPORAL_TLS_CA_FILE: text().describe(
    'PEM file with the authority of the frontend’s certificate, instead of those of the system; turns TLS on',
  ),
  TEMPORAL_TLS_CERT_FILE: text().describe(
    'PEM file with the client certificate of this process; turns TLS on',
  ),
  TEMPORAL_TLS_KEY_FILE: text().describe('PEM file with the key of the client certificate'),
}

/** A client certificate is useless without its key, and the key without it. */
export function assertTemporal(config: {
  TEMPORAL_TLS_CERT_FILE: string
  TEMPORAL_TLS_KEY_FILE: string
}): void {
  if ((config.TEMPORAL_TLS_CERT_FILE === '') !== (config.TEMPORAL_TLS_KEY_FILE === ''))
    throw new Error(
      'configuration: TEMPORAL_TLS_CERT_FILE and TEMPORAL_TLS_KEY_FILE are given together or not at all',
    )
}
