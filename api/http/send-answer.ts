import { createHash } from 'node:crypto'
import type { Response } from 'express'
import { zipTexts } from '../../activities/run/isolation/return-package-zip.ts'
import type { CallAnswer } from '../context.ts'
import type { AnyOperation } from '../operation.ts'

const ZIP = 'application/zip'

/** How an operation's answer may be sent. */
type AnswerForm = Pick<AnyOperation, 'asFiles'> & Pick<AnyOperation['http'], 'cacheable'>

/**
 * Writes an answer as JSON bytes, or as a zip of the files that it also is where the caller prefers that. A cacheable document gets five
 * minutes, and an ETag that answers `If-None-Match` with 304.
 */
export async function sendAnswer(
  response: Response,
  { status, headers, body }: CallAnswer,
  { cacheable, asFiles }: AnswerForm,
): Promise<void> {
  if (
    status === 200 &&
    asFiles !== undefined &&
    response.req.accepts(['application/json', ZIP]) === ZIP
  ) {
    const { name, texts } = asFiles(body)
    const bytes = Buffer.from(await zipTexts(texts))
    response
      .status(status)
      .attachment(name)
      .set({ ...headers, 'Content-Type': ZIP })
    response.send(bytes)
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
