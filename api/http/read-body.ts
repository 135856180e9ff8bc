import express, { type Request, type RequestHandler, type Response } from 'express'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import type { RateLimits } from '../calls/limits.ts'
import { bytesMaxOf, type Presentation, presentedWay } from '../calls/presented.ts'
import { clientAddress } from '../client-address.ts'
import type { BodyStream } from '../context.ts'
import { type AnyOperation, waysOf } from '../operation.ts'
import { isWritten, mediaTypeOf } from './admit.ts'
import { tooLarge } from './answer-error.ts'
import type { PathGroup } from './operation-groups.ts'

/** How long a body may take, and how long a stream may pause. */
const BODY_MS = 30_000
/** How long a caller may still send after its answer; a connection closed on unread bytes would lose the answer. */
const LINGER_MS = 30_000

/** Reads a body up to the largest limit of its operations, leaves a stream alone, and refuses unread what says it is longer. */
export function readBody(
  { methods }: PathGroup,
  addresses: Pick<RateLimits, 'address'>,
): RequestHandler {
  return async (request, response, next) => {
    if (!isWritten(request)) return next()
    response.once('finish', () => letGo(request))
    const group = methods.get(request.method) ?? []
    const [streaming] = group.flatMap(({ stream }) => stream ?? [])
    const most =
      streaming?.bytesMax ?? bytesMaxOf(group, presentedWay(group, presentationOf(request)))
    if (Number(request.get('content-length') ?? 0) > most) throw tooLarge(most)
    if (streaming !== undefined) return next()
    if (most > limits.bodyBytesMax && group.some((one) => waysOf(one).includes('provider')))
      await assertWelcome(request, addresses)
    readWhole(most, request, response, next)
  }
}

/** Anyone may say that a body is signed: a large one is read only within the limit of its address, which the pipeline counts. */
async function assertWelcome(
  request: Request,
  addresses: Pick<RateLimits, 'address'>,
): Promise<void> {
  const ticket = await addresses.address(clientAddress(request))
  if (!ticket.granted) ticket.assertGranted()
  ticket.putBack()
}

const presentationOf = ({ headers, params }: Request): Presentation => ({
  headers,
  params: params as Presentation['params'],
})

function readWhole(
  limit: number,
  request: Request,
  response: Response,
  next: (error?: unknown) => void,
): void {
  let waiting = true
  const done = (error?: unknown) => {
    if (waiting) next(error)
    waiting = false
    clearTimeout(late)
  }
  const late = setTimeout(
    () => done(brokenOff(`the body did not arrive within ${BODY_MS / 1000} s`)),
    BODY_MS,
  )
  express.raw({ limit, inflate: false, type: () => true })(request, response, done)
}

/** The body as a stream; nothing is read before its first use. */
export function streamOf(request: Request, { stream }: AnyOperation): { stream?: BodyStream } {
  if (stream === undefined) return {}
  if (request.get('content-encoding') !== undefined)
    throw refuse('unsupported_media_type', {
      detail: 'the body is encoded',
    })
  return {
    stream: {
      mediaType: mediaTypeOf(request.get('content-type') ?? ''),
      bytes: piecesOf(request, stream.bytesMax),
    },
  }
}

async function* piecesOf(request: Request, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  request.setTimeout(BODY_MS, () => request.destroy())
  try {
    // The answer still goes out on this connection.
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      bytes += piece.length
      if (bytes > bytesMax) break
      yield piece
    }
  } catch {
    throw brokenOff('the body broke off')
  } finally {
    request.setTimeout(0)
  }
  if (bytes > bytesMax) throw tooLarge(bytesMax)
}

/** Reads and drops the rest for a short time, so that the answer arrives and the connection can be reused. */
function letGo(request: Request): void {
  if (request.complete) return
  request.resume()
  const late = setTimeout(() => request.destroy(), LINGER_MS).unref()
  request.once('close', () => clearTimeout(late))
}

const brokenOff = (detail: string): DomainError => refuse('invalid_request', { detail })
