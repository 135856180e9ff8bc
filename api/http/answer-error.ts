import type { ErrorRequestHandler } from 'express'
import type { Logger } from 'pino'
import { DomainError, refuse } from '#domain/core/errors.ts'
import { problemAnswer } from '../calls/problem.ts'
import { sendAnswer } from './send-answer.ts'

/** 413: the same words whether the length was announced or found out. */
export const tooLarge = (bytesMax: number): DomainError =>
  refuse('payload_too_large', { detail: `the body is over ${bytesMax} bytes` })

/** The code of a refusal by Express itself; undefined for an unforeseen error. */
function foreignRefusal(error: unknown): DomainError | undefined {
  if (error instanceof URIError)
    return refuse('not_found', {
      detail: 'the path is not well-formed',
    })
  const { type, limit } = Object(error) as { type?: unknown; limit?: unknown }
  switch (type) {
    case 'entity.too.large':
      return tooLarge(Number(limit))
    case 'encoding.unsupported':
      return refuse('unsupported_media_type', {
        detail: 'the body is encoded',
      })
    case 'request.size.invalid':
    case 'request.aborted':
      return refuse('invalid_request', {
        detail: 'the body is not as long as its Content-Length',
      })
    default:
      return undefined
  }
}

/** Answers an error outside the pipeline as problem+json; an unforeseen one is a 500 without internals, logged with its request id. */
export function answerError({
  baseUrl,
  log,
}: {
  baseUrl: string
  log: Logger
}): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const { requestId, traceId } = response.locals
    const known = error instanceof DomainError ? error : foreignRefusal(error)
    if (known === undefined)
      log.error(
        { err: error, request_id: requestId, trace_id: traceId },
        'a call failed unexpectedly',
      )
    if (response.headersSent) {
      response.destroy()
      return
    }
    const { refusal } = known ?? internalError()
    sendAnswer(response, problemAnswer(refusal, { baseUrl, requestId, traceId }), {})
  }
}

const internalError = (): DomainError =>
  refuse('internal_error', {
    detail: 'the service failed',
    money_moved: 'unknown',
  })
