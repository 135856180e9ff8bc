import type { ErrorRequestHandler } from 'express'
import type { Logger } from 'pino'
import { DomainError, type ErrorCode, refuse } from '../../workflows/domain/errors.ts'
import { problemAnswer } from '../problem.ts'
import { sendAnswer } from './send-answer.ts'

/** What Express' own parts refuse, by the code that says it. */
const foreign: Record<string, { code: ErrorCode; detail: string; next_action: string }> = {
  'entity.too.large': {
    code: 'payload_too_large',
    detail: 'the body is over its limit',
    next_action: 'Send a smaller body.',
  },
  'encoding.unsupported': {
    code: 'unsupported_media_type',
    detail: 'the body is encoded',
    next_action: 'Send the body without Content-Encoding.',
  },
  'request.size.invalid': {
    code: 'invalid_request',
    detail: 'the body is not as long as its Content-Length',
    next_action: 'Send the whole body.',
  },
  'request.aborted': { code: 'invalid_request', detail: 'the body broke off', next_action: 'Send the whole body.' },
}

/** Says as problem+json what was refused outside the road; anything unforeseen is a 500 without internals, logged by its request id. */
export function answerError({ baseUrl, log }: { baseUrl: string; log: Logger }): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const { requestId } = response.locals
    const known = error instanceof DomainError ? error.refusal : foreignRefusal(error)
    if (known === undefined) log.error({ err: error, request_id: requestId }, 'a call failed unexpectedly')
    const refusal =
      known ??
      refuse(
        'internal_error',
        'the service failed',
        'Repeat the call; if it fails again, tell the operator the request id.',
        { money_moved: 'unknown' },
      ).refusal
    if (response.headersSent) {
      response.destroy()
      return
    }
    sendAnswer(response, problemAnswer(refusal, { baseUrl, requestId }), false)
  }
}

function foreignRefusal(error: unknown) {
  if (error instanceof URIError)
    return refuse('not_found', 'the path is not well-formed', 'See /openapi.json for every path.').refusal
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined
  return typeof type === 'string' ? foreign[type] : undefined
}
