import { expect } from 'vitest'
import { type ErrorCode, errorCodes } from '#domain/core/error-codes.ts'
import { DomainError, isRetryable, refuse } from '#domain/core/errors.ts'
import { verifies } from '../../../verifies.ts'

// api-conventions § Errors and payout.md, each code that they name with its status.
const documented: Partial<Record<ErrorCode, number>> = {
  invalid_request: 400,
  invalid_json: 400,
  wallet_proof_invalid: 401,
  wallet_proof_expired: 401,
  credential_invalid: 401,
  payment_required: 402,
  payment_invalid: 402,
  holder_unknown: 403,
  issuer_untrusted: 403,
  mandate_invalid: 403,
  key_binding_missing: 403,
  key_binding_invalid: 403,
  audience_mismatch: 403,
  key_binding_expired: 403,
  request_digest_mismatch: 403,
  principal_signature_invalid: 403,
  not_found: 404,
  method_not_allowed: 405,
  presentation_consumed: 409,
  challenge_consumed: 409,
  mandate_consumed: 409,
  daily_cap_exceeded: 409,
  idempotency_in_flight: 409,
  payment_already_used: 409,
  wallet_proof_replayed: 409,
  wrong_state: 409,
  challenge_expired: 410,
  payout_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_conflict: 422,
  forbidden_material: 422,
  payout_cap_exceeded: 422,
  recipient_refused: 422,
  input_rejected: 422,
  rate_limited: 429,
  provider_failed: 502,
  settlement_pending: 503,
  contention: 503,
  paused: 503,
  unavailable: 503,
}

verifies('pipeline.error-codes', 'every documented code has its documented status', () => {
  for (const [code, status] of Object.entries(documented))
    expect(errorCodes[code as ErrorCode].status, code).toBe(status)
})

verifies(
  'pipeline.error-codes',
  'temporary errors are retryable, errors of the caller are not',
  () => {
    const retryable = (Object.keys(errorCodes) as ErrorCode[]).filter(isRetryable).sort()
    const expected = [
      'contention',
      'grant_released',
      'idempotency_in_flight',
      'internal_error',
      'paused',
      'provider_failed',
      'rate_guardrail_reached',
      'rate_limited',
      'settlement_pending',
      'unavailable',
    ]
    expect(retryable).toEqual(expected)
  },
)

verifies('pipeline.error-codes', 'a refusal is plain data that survives JSON', () => {
  const error = refuse('payout_cap_exceeded', {
    detail: 'too much',
    next_action: 'Create a smaller one.',
    money_moved: 'no',
    errors: [{ pointer: '/amount_usdc', message: 'at most 25' }],
  })
  expect(error).toBeInstanceOf(DomainError)
  expect(JSON.parse(JSON.stringify(error.refusal))).toEqual({
    code: 'payout_cap_exceeded',
    detail: 'too much',
    next_action: 'Create a smaller one.',
    money_moved: 'no',
    errors: [{ pointer: '/amount_usdc', message: 'at most 25' }],
  })
})
