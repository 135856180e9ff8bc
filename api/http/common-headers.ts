/** The headers of every answer. */
export function commonHeaders(requestId: string): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'X-Interface-Version': 'resolver-v0.1',
    'Cache-Control': 'no-store',
  }
}
