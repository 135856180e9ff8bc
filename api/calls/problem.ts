import { type ErrorCode, errorCodes } from '#domain/core/error-codes.ts'
import { isRetryable, type Refusal } from '#domain/core/errors.ts'
import { firstFaults } from '#domain/core/faults.ts'
import { beginOf } from '#domain/core/plain-text.ts'
import { paymentRequiredHeaders } from '../../activities/payments/offers.ts'
import { namesRails } from '../auth/rails.ts'
import type { CallAnswer } from '../context.ts'
import { hasBody } from '../http-method.ts'
import { type Access, type AccessKind, type AnyOperation, isPlain, waysOf } from '../operation.ts'

/** The call that is refused; `access` is absent where no operation was reached. */
export type ProblemContext = {
  readonly baseUrl: string
  readonly requestId: string
  readonly traceId: string
  readonly access?: Access
}

/** A detail may repeat what the caller sent. */
const DETAIL_MAX = 1_000
/** Time for a caller that was given none, in milliseconds. */
const RETRY_AFTER_MS = 1000

/** A refusal as an HTTP answer: an RFC 9457 body and its headers. */
export function problemAnswer(refusal: Refusal, context: ProblemContext): CallAnswer {
  const { status, title } = errorCodes[refusal.code]
  const retryAfterMs = refusal.retry_after_ms ?? (isRetryable(refusal.code) ? RETRY_AFTER_MS : null)
  const body = {
    ...refusal.extra,
    type: `${context.baseUrl}/problems/${refusal.code}`,
    title,
    status,
    code: refusal.code,
    detail: beginOf(refusal.detail, DETAIL_MAX),
    retryable: isRetryable(refusal.code),
    retry_after_ms: retryAfterMs,
    money_moved: refusal.money_moved ?? 'no',
    next_action: refusal.next_action,
    errors: firstFaults(refusal.errors ?? []),
    request_id: context.requestId,
    trace_id: context.traceId,
  }
  return { status, headers: headersOf(refusal, retryAfterMs, context.access), body }
}

function headersOf(
  refusal: Refusal,
  retryAfterMs: number | null,
  access: Access | undefined,
): Record<string, string> {
  const { code } = refusal
  const headers: Record<string, string> = {
    'Content-Type': 'application/problem+json',
    ...paymentRequiredHeaders(refusal),
  }
  if (retryAfterMs !== null) {
    const seconds = String(Math.ceil(retryAfterMs / 1000))
    headers['Retry-After'] = seconds
    if (code === 'rate_limited') Object.assign(headers, limitHeaders(refusal, seconds))
  }
  if (errorCodes[code].status === 401) {
    headers['WWW-Authenticate'] =
      access === undefined ? bearerChallenge(code) : challengeOf(waysOf({ access }), code)
  }
  return headers
}

/** The limit that was hit, by its name where it is one by the minute. */
function limitHeaders({ extra }: Refusal, seconds: string): Record<string, string> {
  const limit = extra?.['limit'] as
    | { policy: string; calls: number; window_seconds: number }
    | undefined
  if (limit === undefined) return { RateLimit: `"calls";r=0;t=${seconds}` }
  const { policy, calls, window_seconds } = limit
  return {
    RateLimit: `"${policy}";r=0;t=${seconds}`,
    'RateLimit-Policy': `"${policy}";q=${calls};w=${window_seconds}`,
  }
}

/** How the first way that needs something wants it presented. */
function challengeOf(ways: readonly AccessKind[], code: ErrorCode): string {
  const way = ways.find((kind) => kind !== 'public')
  if (way === 'wallet') return `ServiceWalletProof error="${code}"`
  return way === 'status' ? `ServiceStatusToken error="${code}"` : bearerChallenge(code)
}

/** RFC 6750 §3.1: no error is named to a caller that sent no credential. */
const bearerChallenge = (code: ErrorCode): string =>
  code === 'credential_invalid' ? 'Bearer error="invalid_token"' : 'Bearer'

const always: readonly ErrorCode[] = ['invalid_request', 'method_not_allowed', 'internal_error']
const ofBodies: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type']
const ofAccess: Record<AccessKind, readonly ErrorCode[]> = {
  public: [],
  wallet: [
    'wallet_proof_required',
    'wallet_proof_invalid',
    'wallet_proof_expired',
    'wallet_proof_replayed',
  ],
  agent: ['credential_required', 'credential_invalid', 'scope_denied', 'trust_required'],
  operator: ['operator_required', 'credential_invalid'],
  status: ['credential_required', 'not_found'],
  provider: ['webhook_signature_invalid'],
}
const ofPrices: readonly ErrorCode[] = [
  'payment_required',
  'payment_invalid',
  'payment_already_used',
  'settlement_pending',
]
const ofGrants: readonly ErrorCode[] = ['idempotency_in_flight', 'grant_released']
const ofEffects: readonly ErrorCode[] = ['contention', 'paused']

/** The codes that follow from method, access, price and idempotency; an operation's own codes are in `errors`. */
export function commonErrors(operation: AnyOperation): ErrorCode[] {
  const { http, idempotency, mode, price, statusToken, stream } = operation
  const kept = 'key' in idempotency
  return [
    ...always,
    ...(http.unlimited ? [] : (['rate_limited', 'unavailable'] as const)),
    ...(hasBody(http.method) ? ofBodies : []),
    ...(hasBody(http.method) && stream === undefined ? (['invalid_json'] as const) : []),
    ...(mode === undefined ? [] : (['unknown_mode'] as const)),
    ...waysOf(operation).flatMap((way) => ofAccess[way]),
    ...(namesRails(operation) ? (['rail_not_allowed'] as const) : []),
    ...(statusToken?.signed ? (['proof_invalid'] as const) : []),
    ...(price === null ? [] : ofPrices),
    ...(isPlain(operation) ? [] : ofGrants),
    ...(kept ? ofEffects : []),
    ...(idempotency.kind === 'body' ? (['idempotency_conflict'] as const) : []),
  ]
}
