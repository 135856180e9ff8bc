/** The headers that stand on every answer (api-conventions, Headers on every answer). */
export function standingHeaders(requestId: string): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'X-Interface-Version': 'resolver-v0.1',
    'Cache-Control': 'no-store',
  }
}
