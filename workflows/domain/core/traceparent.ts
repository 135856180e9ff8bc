/** What the W3C header `traceparent` says: the trace, the span that called, and the flags of that span. */
export type TraceContext = {
  readonly traceId: string
  readonly spanId: string
  readonly flags: number
}

const FORM =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const LENGTH_MAX = 256

/** The context in a `traceparent`; undefined for anything that is not well-formed (W3C Trace Context § 3.2). */
export function parseTraceparent(text: unknown): TraceContext | undefined {
  if (typeof text !== 'string' || text.length > LENGTH_MAX) return undefined
  const [, version, traceId, spanId, flags, more] = FORM.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  // Only later versions may have more members.
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}

/** The `traceparent` of a context, in version 00. */
export function traceparentOf({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`
}
