import { errorHelp } from './error-help.ts'

/** The closed vocabulary of refusals: code → HTTP status and title. HTTP, MCP, Temporal failures and the CLI all use these codes. */
export const errorCodes = {
  invalid_request: { status: 400, title: 'The request does not fit the schema' },
  invalid_json: { status: 400, title: 'The body is not JSON' },
  unknown_mode: { status: 400, title: 'The mode is not known' },
  unsupported_request: { status: 400, title: 'The request is not supported' },
  idempotency_key_required: { status: 400, title: 'An Idempotency-Key header is required' },
  credential_required: { status: 401, title: 'A credential is required' },
  credential_invalid: { status: 401, title: 'The credential is not valid' },
  operator_required: { status: 401, title: 'An operator credential is required' },
  wallet_proof_required: { status: 401, title: 'A wallet proof is required' },
  wallet_proof_invalid: { status: 401, title: 'The wallet proof is not valid' },
  wallet_proof_expired: { status: 401, title: 'The wallet proof is too old or from the future' },
  proof_invalid: { status: 401, title: 'The proof is not valid' },
  webhook_signature_invalid: { status: 401, title: 'The webhook signature is not valid' },
  payment_required: { status: 402, title: 'Payment is required' },
  payment_invalid: { status: 402, title: 'The payment is not valid' },
  scope_denied: { status: 403, title: 'The credential does not permit this' },
  trust_required: { status: 403, title: 'The agent is not trusted' },
  rail_not_allowed: { status: 403, title: 'The rail is not allowed here' },
  holder_unknown: { status: 403, title: 'The holder wallet is not a configured treasury holder' },
  issuer_untrusted: { status: 403, title: 'The mandate issuer is not trusted' },
  mandate_invalid: { status: 403, title: 'The mandate is not valid' },
  key_binding_missing: { status: 403, title: 'The presentation has no key binding' },
  key_binding_invalid: { status: 403, title: 'The key binding is not valid' },
  key_binding_expired: { status: 403, title: 'The key binding is too old or from the future' },
  audience_mismatch: { status: 403, title: 'The presentation is for another audience' },
  request_digest_mismatch: { status: 403, title: 'The presentation commits to another request' },
  principal_signature_invalid: { status: 403, title: 'The principal signature is not valid' },
  authority_denied: { status: 403, title: 'The authority does not permit this' },
  control_denied: { status: 403, title: 'A limit or control forbids this' },
  not_owner: { status: 403, title: 'It belongs to another agent' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed' },
  wallet_proof_replayed: { status: 409, title: 'The wallet proof nonce was used for another call' },
  payment_already_used: { status: 409, title: 'The payment was used for another call' },
  idempotency_in_flight: { status: 409, title: 'The same call is still running' },
  wrong_state: { status: 409, title: 'The state does not allow this' },
  quote_mismatch: { status: 409, title: 'The quote is for something else' },
  not_ready: { status: 409, title: 'What this builds on is not there yet' },
  recovery_not_allowed: { status: 409, title: 'The exception does not allow this recovery' },
  presentation_consumed: { status: 409, title: 'The presentation was used before' },
  challenge_consumed: { status: 409, title: 'The challenge was used before' },
  mandate_consumed: { status: 409, title: 'The mandate was used before' },
  key_already_registered: { status: 409, title: 'The key belongs to a registered agent' },
  already_claimed: { status: 409, title: 'The credential was claimed before' },
  already_decided: { status: 409, title: 'This was decided before' },
  rotation_in_progress: { status: 409, title: 'A rotation is under way' },
  daily_cap_exceeded: { status: 409, title: 'The daily cap leaves no room for this payout' },
  already_exists: { status: 409, title: 'It exists already' },
  already_bound: { status: 409, title: 'It is bound already' },
  already_funded: { status: 409, title: 'It is funded already' },
  payment_pending: { status: 409, title: 'A payment for this is under way' },
  reference_already_used: { status: 409, title: 'The payment reference was used before' },
  credit_exhausted: { status: 409, title: 'The credit is used up' },
  wallet_underfunded: { status: 409, title: 'The wallet holds too little' },
  challenge_expired: { status: 410, title: 'The challenge has expired' },
  payout_expired: { status: 410, title: 'The payout has expired' },
  quote_expired: { status: 410, title: 'The quote has expired' },
  expired: { status: 410, title: 'The time for this is over' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not one that is taken here' },
  idempotency_conflict: { status: 422, title: 'The idempotency key was used with other terms' },
  terms_mismatch: { status: 422, title: 'The terms are not those of the contract' },
  evidence_mismatch: { status: 422, title: 'The content is not what was announced' },
  forbidden_material: { status: 422, title: 'The body holds secret material' },
  amount_mismatch: { status: 422, title: 'The amount is not the one that is owed' },
  payout_cap_exceeded: { status: 422, title: 'The payout is larger than the cap' },
  callback_refused: { status: 422, title: 'The callback URL is refused' },
  receipt_invalid: { status: 422, title: 'The receipt is not valid here' },
  input_rejected: { status: 422, title: 'The input of the run is rejected' },
  input_too_complex: { status: 422, title: 'The input takes too much work' },
  recipient_refused: { status: 422, title: 'The recipient is refused' },
  rate_limited: { status: 429, title: 'Too many calls' },
  internal_error: { status: 500, title: 'The service failed' },
  provider_failed: { status: 502, title: 'A provider failed' },
  unavailable: { status: 503, title: 'A dependency is down' },
  settlement_pending: { status: 503, title: 'The settlement of the payment is not known yet' },
  contention: { status: 503, title: 'Too many calls for the same thing at once' },
  paused: { status: 503, title: 'New payouts are held back for now' },
  grant_released: { status: 503, title: 'The call was given up before its effect ran' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof errorCodes
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

/** A call worth repeating unchanged, which its key makes safe: every 5xx and 429, and a call that is still running. */
export function isRetryable(code: ErrorCode): boolean {
  const { status } = errorCodes[code]
  return status >= 500 || status === 429 || code === 'idempotency_in_flight'
}
