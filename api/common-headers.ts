import type { CallRequest } from './context.ts'

/** The version of the interface, in every answer and every discovery document. */
export const INTERFACE_VERSION = 'resolver-v0.1'

/** The headers of every answer. */
export function commonHeaders({
  requestId,
  traceId,
}: Pick<CallRequest, 'requestId' | 'traceId'>): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'X-Trace-Id': traceId,
    'X-Interface-Version': INTERFACE_VERSION,
    'Cache-Control': 'no-store',
  }
}
