import { type DestinationStream, type Logger, pino } from 'pino'
import { logTrace } from '../../activities/tracing/start.ts'

const secretHeaders = [
  'authorization',
  'cookie',
  'set-cookie',
  'payment-signature',
  'payment-authorization',
  'x-service-wallet-proof',
  'x-status-token',
]
const paths = secretHeaders.flatMap((name) => [
  `["${name}"]`,
  `headers["${name}"]`,
  `*.headers["${name}"]`,
])

/** The log of an API process: JSON lines without credentials, proofs and payments. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = { name: 'api', level, mixin: logTrace, redact: { paths, censor: '[redacted]' } }
  return destination === undefined ? pino(options) : pino(options, destination)
}
