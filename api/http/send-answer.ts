import { createHash } from 'node:crypto'
import type { Response } from 'express'
import type { ReturnPackage } from '#domain/runs/return-package.ts'
import { zipTexts } from '../../activities/runs/isolation/return-package-zip.ts'
import type { CallAnswer } from '../context.ts'
import type { AnyOperation } from '../operation.ts'
import { documentPolicy } from './pages/documents.ts'
import { refusalPage } from './pages/refusal.ts'

const JSON_TYPE = 'application/json'
const PROBLEM = 'application/problem+json'
const ZIP = 'application/zip'
const HTML = 'text/html'

/** How an operation's answer may be sent. */
type AnswerForm = Pick<AnyOperation, 'asFiles' | 'asBytes'> &
  Pick<AnyOperation['http'], 'cacheable'> & {
    /** The answer as a page for people. */
    asPage?: ((body: Record<string, unknown>) => string) | undefined
    /** Writes the files of a package. */
    packageTexts?: ((made: ReturnPackage) => Promise<Record<string, string>>) | undefined
    /** The form that the query of the call names, before what its `Accept` says. */
    named?: unknown
  }

/**
 * Writes an answer as JSON bytes, or as what it also is where the caller prefers that: a zip of its files, or a page, which a refusal is as well. A cacheable document gets five
 * minutes, and an ETag that answers `If-None-Match` with 304.
 */
export async function sendAnswer(
  response: Response,
  { status, headers, body }: CallAnswer,
  form: AnswerForm,
): Promise<void> {
  const { cacheable, asFiles, asBytes, asPage, packageTexts } = form
  if (asPage !== undefined || asBytes !== undefined) response.vary('Accept')
  const type = typeOf(response, status, form)
  if (type === HTML && asPage !== undefined) {
    response
      .status(status)
      .set({ ...headers, 'Content-Type': `${HTML}; charset=utf-8` })
      .set({ 'Content-Security-Policy': documentPolicy, 'Referrer-Policy': 'no-referrer' })
    const page = status === 200 ? asPage : refusalPage
    response.send(page(body as Record<string, unknown>))
    return
  }
  if (type === ZIP && asFiles !== undefined && packageTexts !== undefined) {
    const made = asFiles(body)
    const bytes = Buffer.from(await zipTexts(await packageTexts(made)))
    response
      .status(status)
      .attachment(`${made.return_package_id}.zip`)
      .set({ ...headers, 'Content-Type': ZIP })
    response.send(bytes)
    return
  }
  if (asBytes !== undefined && type === asBytes.type) {
    response.status(status).set({ ...headers, 'Content-Type': type })
    response.send(Buffer.from(asBytes.of(body)))
    return
  }
  const bytes = Buffer.from(JSON.stringify(body))
  response.status(status).set({ 'Content-Type': JSON_TYPE, ...headers })
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

/** The content type to answer with: as the query says, else as the caller accepts. A refusal is never a file. */
function typeOf(
  response: Response,
  status: number,
  { asFiles, asBytes, asPage, named }: AnswerForm,
): string | false {
  if (named === 'json') return JSON_TYPE
  if (status >= 400 && asPage !== undefined) return response.req.accepts([JSON_TYPE, PROBLEM, HTML])
  if (status !== 200) return JSON_TYPE
  if (named === 'zip') return ZIP
  const forms = [JSON_TYPE]
  if (asPage) forms.push(HTML)
  if (asFiles) forms.push(ZIP)
  if (asBytes) forms.push(asBytes.type)
  return response.req.accepts(forms)
}

/** RFC 9110 §13.1.2; Express' own check would heed the `no-cache` that fetch adds to every conditional request. */
function knows(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
