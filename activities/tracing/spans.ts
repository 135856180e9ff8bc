import { randomBytes } from 'node:crypto'
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { parseTraceparent, traceparentOf } from '#domain/core/traceparent.ts'

/** Names and attributes hold ids, names of steps and hashes, never bodies, credentials, values of statements or URLs. */
export type SpanFacts = {
  readonly name: string
  readonly kind: 'internal' | 'client' | 'consumer'
  readonly attributes?: Attributes
}

const kinds = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const
const tracer = () => trace.getTracer('agent-rails')

/** The id of the trace that this code runs in; undefined outside of a call. */
export const currentTraceId = (): string | undefined =>
  trace.getSpanContext(context.active())?.traceId

/** The `traceparent` for what this code calls; undefined outside of a call. */
export function currentTraceparent(): string | undefined {
  const current = trace.getSpanContext(context.active())
  if (current === undefined) return undefined
  const { traceId, spanId, traceFlags } = current
  return traceparentOf({ traceId, spanId, flags: traceFlags })
}

/**
 * The span of a call that arrives, in the trace of its `traceparent` or in a new one. Without an exporter it records nothing and still
 * has a trace id.
 */
export function openCall(traceparent: unknown): Span {
  const span = tracer().startSpan('call', { kind: SpanKind.SERVER }, contextFrom(traceparent))
  return isSpanContextValid(span.spanContext()) ? span : unrecordedCall(traceparent)
}

/** A call that has a trace id and is never recorded. */
export function unrecordedCall(traceparent: unknown): Span {
  const traceId = parseTraceparent(traceparent)?.traceId ?? randomBytes(16).toString('hex')
  const spanId = randomBytes(8).toString('hex')
  return trace.wrapSpanContext({ traceId, spanId, traceFlags: TraceFlags.NONE })
}

/** Runs what follows as a part of this span. */
export function within<T>(span: Span, run: () => T): T {
  return context.with(trace.setSpan(context.active(), span), run)
}

/** Continues the trace of a `traceparent` in another process, in a span of its own. */
export function continueTrace<T>(
  traceparent: unknown,
  facts: SpanFacts,
  run: () => Promise<T>,
): Promise<T> {
  const parent = contextFrom(traceparent)
  if (parent === ROOT_CONTEXT) return run()
  return runIn(startIn(parent, facts), parent, run)
}

/** Runs a part of a call in a span. Outside of a recorded trace it only runs it. */
export function traced<T>(facts: SpanFacts, run: () => Promise<T>): Promise<T> {
  const parent = context.active()
  if (trace.getSpan(parent)?.isRecording() !== true) return run()
  return runIn(startIn(parent, facts), parent, run)
}

/** Adds attributes to the span that this code runs in. */
export function annotate(attributes: Attributes): void {
  trace.getActiveSpan()?.setAttributes(attributes)
}

/** Ends the span of a call with what became of it. */
export function closeCall(span: Span, facts: { name: string; attributes: Attributes }): void {
  if (!span.isRecording()) return
  const { name, attributes } = facts
  span.updateName(name).setAttributes(attributes)
  if (Number(attributes['http.response.status_code']) >= 500)
    span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

function startIn(parent: Context, { name, kind, attributes = {} }: SpanFacts): Span {
  return tracer().startSpan(name, { kind: kinds[kind], attributes }, parent)
}

/** A failure is named by its class or code, because a message may quote what a caller sent. */
function runIn<T>(span: Span, parent: Context, run: () => Promise<T>): Promise<T> {
  const running = context.with(trace.setSpan(parent, span), run)
  if (!span.isRecording()) return running
  return running.then(
    (result) => {
      span.end()
      return result
    },
    (error: unknown) => {
      span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
      throw error
    },
  )
}

function contextFrom(traceparent: unknown): Context {
  const given = parseTraceparent(traceparent)
  if (given === undefined) return ROOT_CONTEXT
  const { traceId, spanId, flags } = given
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flags, isRemote: true })
}
