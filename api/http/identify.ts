import { randomUUID } from 'node:crypto'
import type { Span } from '@opentelemetry/api'
import type { RequestHandler } from 'express'
import { parseTraceparent } from '#domain/core/traceparent.ts'
import { closeCall, openCall, unrecordedCall, within } from '../../activities/tracing/spans.ts'
import { commonHeaders } from '../common-headers.ts'

/** A call's own id, and the trace that it belongs to: its caller's, or a new one. */
export type IdentifiedRequest = {
  readonly requestId: string
  readonly traceId: string
  readonly span: Span
}

/** What asks every few seconds would fill a store of traces. */
const PROBES = /^\/(healthz|readyz|metrics)$/
const REQUEST_ID = /^[A-Za-z0-9._:-]{8,128}$/

/**
 * Keeps a well-formed `X-Request-Id` and `traceparent`. A call that begins a trace has one number for both ids; several calls of one trace need
 * an id each, because a repeat can be recognised by it.
 */
export function identifyCall(
  givenId = '',
  traceparent: string | undefined = undefined,
  open = openCall,
): IdentifiedRequest {
  const span = open(traceparent)
  const { traceId } = span.spanContext()
  if (REQUEST_ID.test(givenId)) return { requestId: givenId, traceId, span }
  const joins = parseTraceparent(traceparent) !== undefined
  const number = joins ? randomUUID().replaceAll('-', '') : traceId
  return { requestId: `req_${number}`, traceId, span }
}

/** Gives the call its ids and its span, and the answer its common headers. */
export const identify: RequestHandler = (request, response, next) => {
  const { requestId, traceId, span } = identifyCall(
    request.get('x-request-id'),
    request.get('traceparent'),
    PROBES.test(request.path) ? unrecordedCall : openCall,
  )
  Object.assign(response.locals, { requestId, traceId })
  response.set(commonHeaders({ requestId, traceId }))
  response.on('close', () => {
    const { operation = 'none', route = 'none' } = response.locals
    const attributes = {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': response.writableFinished ? response.statusCode : 499,
      'agent_rails.operation': operation,
    }
    closeCall(span, { name: `${request.method} ${route}`, attributes })
  })
  within(span, next)
}
