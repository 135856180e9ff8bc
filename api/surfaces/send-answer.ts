import { createHash } from 'node:crypto'
import type { Response } from 'express'
import type { CallAnswer } from '../context.ts'
import type { AnyOperation } from '../operation.ts'

/**
 * Writes an answer as JSON bytes, or in a form that the operation also has and the caller prefers. A cacheable document gets five
 * minutes, and an ETag that answers `If-None-Match` with 304.
 */
export function sendAnswer(
  response: Response,
  { status, headers, body }: CallAnswer,
  { cacheable, alsoAs = {} }: Pick<AnyOperation, 'cacheable' | 'alsoAs'>,
): void {
  const form = status === 200 ? response.req.accepts(['application/json', ...Object.keys(alsoAs)]) : false
  const file = form === false ? undefined : alsoAs[form]?.(body)
  if (file !== undefined) {
    response
      .status(status)
      .attachment(file.name)
      .set({ ...headers, 'Content-Type': String(form) })
    response.send(Buffer.from(file.bytes))
    return
  }
  const bytes = Buffer.from(JSON.stringify(body))
  response.status(status).set({ 'Content-Type': 'application/json', ...headers })
  if (cacheable === true && status === 200) {
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
    response.set({ 'Cache-Control': 'public, max-age=300', ETag: etag })
    if (knows(response.req.get('if-none-match'), etag)) {
      response.status(304).end()
      return
    }
  }
  response.send(bytes)
}

/** RFC 9110 §13.1.2; Express' own check would heed the `no-cache` that fetch adds to every conditional request. */
function knows(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
