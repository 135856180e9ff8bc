import type { ErrorCode } from '#domain/core/error-codes.ts'
import type { MoneyMoved, PointerError } from '#domain/core/errors.ts'

/** The problem+json body of a refusal. */
export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string
  readonly retryable: boolean
  readonly retry_after_ms: number | null
  readonly money_moved: MoneyMoved
  readonly next_action: string
  readonly errors: readonly PointerError[]
  readonly request_id: string
  readonly trace_id: string
  readonly [extra: string]: unknown
}

/** A call that the service refused; `code` says why and `problem` what to do. */
export class ProblemError extends Error {
  readonly code: ErrorCode
  readonly problem: Problem
  readonly headers: Headers
  constructor(problem: Problem, headers: Headers) {
    super(`${problem.code}: ${problem.detail}`)
    this.name = 'ProblemError'
    this.code = problem.code
    this.problem = problem
    this.headers = headers
  }
}
