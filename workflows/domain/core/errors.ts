import { type ErrorCode, errorCodes } from './error-codes.ts'
import { errorHelp } from './error-help.ts'

export type MoneyMoved = 'no' | 'yes' | 'unknown'
export type PointerError = { pointer: string; message: string }

/** A refusal as plain data: it is an update result, an activity result and the core of a problem+json body. */
export type Refusal = {
  code: ErrorCode
  detail: string
  next_action: string
  money_moved?: MoneyMoved
  retry_after_ms?: number
  errors?: PointerError[]
  /** Members of the problem body that only this code has, such as `debt` or `allowed_events`. */
  extra?: Record<string, unknown>
}

/** A refusal on its way up the stack; the only error class that callers may see the content of. */
export class DomainError extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(`${refusal.code}: ${refusal.detail}`)
    this.name = 'DomainError'
    this.refusal = refusal
  }
}

/** A refusal of this code; what the caller does next comes from the help of the code, unless this case needs something else. */
export function refuse(
  code: ErrorCode,
  refusal: Omit<Refusal, 'code' | 'next_action'> & { next_action?: string },
): DomainError {
  return new DomainError({ code, next_action: errorHelp[code].action, ...refusal })
}

/** Refused for now: the same call may be accepted after the time that the refusal names, and is refused again before it. */
export const isLater = (code: ErrorCode): boolean =>
  code === 'daily_cap_exceeded' || code === 'not_ready'

const passing: readonly ErrorCode[] = [
  'idempotency_in_flight',
  'unavailable',
  'contention',
  'grant_released',
  'internal_error',
]

/**
 * The refusal that an error is, to be kept as the outcome of what was asked. Throws any other error, and an outage or a conflict, which
 * ends by itself and says nothing about it; a pause is neither.
 */
export function lastingRefusal(error: unknown): Refusal {
  if (!(error instanceof DomainError) || passing.includes(error.refusal.code)) throw error
  return error.refusal
}

/** A call worth repeating unchanged, which its key makes safe: every 5xx and 429, and a call that is still running. */
export function isRetryable(code: ErrorCode): boolean {
  const { status } = errorCodes[code]
  return status >= 500 || status === 429 || code === 'idempotency_in_flight'
}
