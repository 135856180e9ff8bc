import type { CallRequest } from '../context.ts'

/** The headers of every answer. */
export function commonHeaders({
  requestId,
  traceId,
}: Pick<CallRequest, 'requestId' | 'traceId'>): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'X-Trace-Id': traceId,
    'X-Interface-Version': 'resolver-v0.1',
    'Cache-Control': 'no-store',
  }
}
