import type { ErrorCode } from './error-codes.ts'
import { taskErrorHelp } from './task-error-help.ts'

/** What a code means in general, and what a caller does about it; the refusal itself says what it was in one call. */
export type ErrorHelp = { readonly meaning: string; readonly action: string }

const newChallenge = 'Ask for a new challenge, have a mandate issued for it, and present that one.'
const signPresentation =
  'Sign the key binding again, as the trust contract describes it, and present it within 300 seconds.'

/** The words of the problem pages, one entry for each code of the vocabulary. */
export const errorHelp: Readonly<Record<ErrorCode, ErrorHelp>> = {
  invalid_request: {
    meaning:
      'The body or query lacks a member, has one too many, or has a value outside its bounds.',
    action:
      'Correct what "detail" and the pointers in "errors" name; the API reference has the schema of every operation.',
  },
  invalid_json: {
    meaning: 'The body cannot be read as one UTF-8 JSON object.',
    action: 'Send one JSON object, encoded as UTF-8.',
  },
  unknown_mode: {
    meaning: 'Several operations share this path, and "mode" names none of them.',
    action: 'Send one of the modes that "errors" lists.',
  },
  unsupported_request: {
    meaning: 'The service does not offer this, for example a rail that is not for sale.',
    action: 'Choose something that the service offers; "detail" names the part that it does not.',
  },
  candidate_denied: {
    meaning: 'The service of someone else breaks a rule by its URL, or an operator has denied it.',
    action: 'Use another service; find_services lists those that may be used.',
  },
  human_approval_required: {
    meaning: 'The service of someone else is known, and no operator has approved it yet.',
    action: 'Wait for the decision of an operator; inspect_service shows it.',
  },
  idempotency_key_required: {
    meaning:
      'The call changes something and its body has no key by which a repeat would be recognised.',
    action: 'Send an Idempotency-Key header, and repeat the call with the same key.',
  },
  credential_required: {
    meaning: 'The operation is not public and no credential was presented.',
    action: 'Present a credential that "detail" or the WWW-Authenticate header names.',
  },
  credential_invalid: {
    meaning: 'The credential is unknown, malformed, expired or revoked.',
    action:
      'Present a live credential. An agent gets one by a handshake; an operator gets one from the command line or the configured issuer.',
  },
  operator_required: {
    meaning: 'Only an operator may do this, and no operator credential was presented.',
    action: 'Send Authorization: Bearer with an operator credential.',
  },
  wallet_proof_required: {
    meaning:
      'A wallet has to sign each of these calls, and the X-Service-Wallet-Proof header is missing.',
    action:
      'Sign the proof text of the trust contract for this method, path and body, and send it in X-Service-Wallet-Proof; the typed client does both.',
  },
  wallet_proof_invalid: {
    meaning:
      'The proof is not of this origin, method, path and body, or the signature is not of the wallet that it names.',
    action:
      'Sign the exact text of the trust contract over the canonical form of the body that you send.',
  },
  wallet_proof_expired: {
    meaning: 'The proof was signed more than 300 seconds ago, or in the future.',
    action: 'Set the clock right, and sign a new proof with the current time and a fresh nonce.',
  },
  proof_invalid: {
    meaning: 'A signature that has to prove a right does not verify.',
    action:
      'Sign the exact text of this call with the registered key or wallet. X-Agent-Signature covers method, path, body, status token and time.',
  },
  webhook_signature_invalid: {
    meaning:
      'The event is not signed by a configured key, or its time is more than 300 seconds off.',
    action: 'Sign the raw body with the configured key and send it with the present time.',
  },
  payment_required: {
    meaning: 'The free calls of this wallet are used up, and this call has a price.',
    action:
      'Sign one of the offers in "accepts" and repeat the same call with a PAYMENT-SIGNATURE header.',
  },
  payment_invalid: {
    meaning:
      'The payment does not fit an offer, runs out too soon, or its signature or balance does not carry it.',
    action:
      'Sign a payment for exactly one of the offers in "accepts", from a wallet that holds the amount.',
  },
  scope_denied: {
    meaning: 'The credential is valid and does not cover this operation.',
    action: 'Use a credential with this scope.',
  },
  trust_required: {
    meaning: 'The agent is not trusted yet, was rejected, or is suspended.',
    action: 'Read the status URL until an operator has decided about the agent.',
  },
  rail_not_allowed: {
    meaning: 'The agent’s credential, or this operation, is not for that rail.',
    action: 'Use a rail of the credential; the status URL and enforce_agent_credential name them.',
  },
  holder_unknown: {
    meaning: 'Challenges are given only to the configured treasury holder.',
    action: 'Name the treasury holder wallet of this service.',
  },
  issuer_untrusted: {
    meaning: 'This service does not trust the signer of the mandate.',
    action:
      'Present a mandate of this service’s authority, or have its issuer configured as a trust anchor.',
  },
  mandate_invalid: {
    meaning:
      'The mandate is malformed, expired, of another type, or its signature or disclosures do not hold.',
    action: newChallenge,
  },
  key_binding_missing: {
    meaning: 'The presentation ends with the mandate: nothing shows that its holder presents it.',
    action: 'Append the treasury holder’s key binding to the mandate.',
  },
  key_binding_invalid: {
    meaning: 'The key binding is not of the holder, or not over this mandate.',
    action: signPresentation,
  },
  key_binding_expired: {
    meaning: 'The key binding was signed too long ago, or in the future.',
    action: signPresentation,
  },
  audience_mismatch: {
    meaning: 'The presentation was made for another service.',
    action: 'Bind to the audience that the challenge names.',
  },
  request_digest_mismatch: {
    meaning: 'The presentation commits to other terms than the stored payout and this call have.',
    action:
      'Compute request_sha256 from the stored payout and the same expires_at and idempotency_key, then ask for a new challenge.',
  },
  principal_signature_invalid: {
    meaning: 'The EIP-712 signature is not the treasury principal’s over exactly these terms.',
    action:
      'Have the principal sign the typed data of the trust contract with the values of this call.',
  },
  authority_denied: {
    meaning:
      'The mandate or the grant does not permit the action, or no mandate is issued for this checkout and this proof.',
    action:
      'Read the deciding rules in the answer, and ask an operator for a mandate and a grant that permit the action.',
  },
  grant_consumed: {
    meaning: 'The grant permits one action, which was executed or is being executed.',
    action: 'Read first_result, or ask an operator for another grant.',
  },
  limits_invalid: {
    meaning: 'The limits or times of a mandate contradict each other.',
    action: 'Correct the members that errors names.',
  },
  control_denied: {
    meaning: 'A limit that the owner or an operator set forbids this.',
    action:
      'Stay within the limit, pay in another way, or ask the owner of the limit or an operator to widen it.',
  },
  fee_not_accepted: {
    meaning:
      'The call would start a fee that the caller has not accepted; detail names its amount.',
    action: 'Repeat the call with accept_fee true, or leave the call.',
  },
  not_owner: {
    meaning: 'The record belongs to another agent.',
    action: 'Use the credential or token of its owner, or name a record of your own.',
  },
  not_found: {
    meaning:
      'There is no such record or path, or this caller may not see it. The answer is the same for both.',
    action:
      'Check the path, the id or token, and the credential or wallet of the call; /openapi.json lists every path.',
  },
  method_not_allowed: {
    meaning: 'The path exists and does not take this method.',
    action: 'Use a method that the Allow header lists.',
  },
  wallet_proof_replayed: {
    meaning:
      'The nonce of this proof was used for another path or body. Repeating one call with its own proof is fine.',
    action: 'Sign a new proof with a fresh nonce.',
  },
  payment_already_used: {
    meaning: 'One payment pays for one call, and this one paid for another.',
    action: 'Sign a new payment for this call, or repeat the call that the payment was for.',
  },
  idempotency_in_flight: {
    meaning: 'The same call, or its payment, is still running.',
    action: 'Repeat the same call after Retry-After; it joins and never runs twice.',
  },
  wrong_state: {
    meaning: 'The record is in a state that does not allow this.',
    action:
      'Read its status. "detail" and "allowed_events", where they are given, say what is possible now.',
  },
  presentation_consumed: {
    meaning: 'A presentation authorizes once, and this one has.',
    action: newChallenge,
  },
  challenge_consumed: {
    meaning: 'A challenge is answered once, and this one has been.',
    action: newChallenge,
  },
  mandate_consumed: {
    meaning: 'A mandate authorizes one payout, and this one has.',
    action: newChallenge,
  },
  key_already_registered: {
    meaning: 'One key is one agent, and this key was registered before.',
    action: 'Use the status URL of that registration, or repeat it with its own idempotency key.',
  },
  already_claimed: {
    meaning: 'An access key is shown once, and this one was.',
    action: 'Repeat the handshake with the nonce of the first claim, or have the key rotated.',
  },
  already_decided: {
    meaning: 'Another reviewer decided about this after you read it.',
    action: 'Read the review console again, and decide about the current version.',
  },
  evidence_changed: {
    meaning: 'The digests that the decision names are not those of the evidence as it is now.',
    action:
      'Read the evidence again at GET /api/loop-review-console?subject_id=…, and decide about this version.',
  },
  rotation_in_progress: {
    meaning:
      'The next key was made and its owner has not taken it yet, or a rotation of this ring of the service is not done.',
    action:
      'Let the owner claim it, or revoke it, or wait until the rotation is done; then rotate again.',
  },
  daily_cap_exceeded: {
    meaning:
      'Payouts of the last 24 hours and those under way leave less than this amount under the daily cap.',
    action:
      'Execute it once Retry-After has passed, with the same key; the cap frees up as older payouts leave the window.',
  },
  already_exists: {
    meaning: 'It exists already, and there can be only one.',
    action: 'Use the existing one.',
  },
  already_bound: {
    meaning: 'It is bound to another record, and this cannot be changed.',
    action: 'Read it, and continue with the record that it is bound to.',
  },
  already_funded: {
    meaning: 'It is already paid for.',
    action: 'Use the existing credit.',
  },
  payment_pending: {
    meaning: 'A payment for this is pending; a second one might pay twice.',
    action: 'Read the payment reference that is named until it is verified or rejected.',
  },
  reference_already_used: {
    meaning: 'This payment was presented before and counts once.',
    action: 'Present another payment, or read the reference that used it.',
  },
  credit_exhausted: {
    meaning: 'The call asks for more credit than is left.',
    action: 'Fund a new entitlement for the rest.',
  },
  wallet_underfunded: {
    meaning: 'The allowance wallet holds less than the amount.',
    action: 'Fund the wallet, or pay in another way.',
  },
  challenge_expired: {
    meaning: 'The challenge or its checkout is past its life.',
    action: newChallenge,
  },
  payout_expired: {
    meaning: 'The authorization has run out, or too little of its life is left to execute safely.',
    action: 'Create and authorize a new payout.',
  },
  invitation_expired: {
    meaning: 'The invitation was not answered within its time.',
    action: 'Ask the operator for another invitation.',
  },
  quote_expired: {
    meaning: 'A quote is good for 24 hours, and this one is older.',
    action: 'Ask for a new quote.',
  },
  payload_too_large: {
    meaning: 'The body is over the limit, 65,536 bytes unless the operation says otherwise.',
    action:
      'Send a smaller body. A long list for a run is uploaded with input-upload (PUT /api/agent-inputs/{sha256}) and named by its digest.',
  },
  unsupported_media_type: {
    meaning:
      'The body is not of a type that the operation takes, which is JSON unless it says otherwise, or it is encoded.',
    action:
      'Send a type that the operation names, such as application/json, without Content-Encoding.',
  },
  idempotency_conflict: {
    meaning: 'An earlier call used the same key with other terms. That call is unchanged.',
    action: 'Use a new key for other terms, or send the terms of the first call.',
  },
  forbidden_material: {
    meaning:
      'A text holds a private key, a recovery phrase or a password; it was neither stored nor logged.',
    action:
      'Remove the secret from the field that the pointer names, and replace it everywhere: treat it as exposed.',
  },
  amount_mismatch: {
    meaning: 'The amount in the call is not exactly the amount that is owed.',
    action: 'Pay and name exactly the amount of the challenge.',
  },
  payout_cap_exceeded: {
    meaning: 'One payout may be 25 USDC at most.',
    action: 'Create a smaller payout.',
  },
  input_rejected: {
    meaning: 'The input, an upload that it names or a patch of it does not fit the rail.',
    action: 'Correct what "faults" or "errors" name, and send the call again.',
  },
  recipient_refused: {
    meaning: 'The zero address, the token and the service’s own addresses are never paid.',
    action: 'Name another recipient.',
  },
  rate_guardrail_reached: {
    meaning: 'The free analyses, or the calls of a model for them, are used up for today.',
    action:
      'Send force_fallback true where the model is used up, or repeat the call after Retry-After.',
  },
  rate_limited: {
    meaning: 'This caller or address has called too often, or a daily quota is used up.',
    action: 'Repeat the call after Retry-After.',
  },
  internal_error: {
    meaning: 'The service failed unexpectedly; its log names the failure under the request id.',
    action:
      'Repeat the call with the same key, which is safe; if it fails again, send the operator the request id.',
  },
  provider_failed: {
    meaning: 'A provider that this call depends on answered with a failure.',
    action: 'Repeat the same call after Retry-After.',
  },
  work_not_found: {
    meaning:
      'The service has no call or payment of this wallet under this name that succeeded or settled.',
    action:
      'Name the proof nonce of a free call of this wallet that succeeded, or a settled payment that it made.',
  },
  not_publishable: {
    meaning: 'The proof lacks one of the four conditions of the activity feed.',
    action: 'Read which one "condition" names, and publish a proof that meets all four.',
  },
  work_already_attested: {
    meaning: 'There is one passport for each wallet and work, and this one was issued before.',
    action: 'Use the passport that "passport_id" names.',
  },
  wallet_storage_full: {
    meaning: 'The proof inbox of this wallet has no room for the proof.',
    action: 'Store the proof elsewhere, or with another wallet.',
  },
  unavailable: {
    meaning: 'The database, Temporal or the chain does not answer.',
    action:
      'Repeat the same call with the same key after Retry-After; it joins any work that has begun.',
  },
  settlement_pending: {
    meaning: 'The payment for this call was sent and its outcome is not known yet.',
    action: 'Repeat the same call with the same key; it joins and is not charged again.',
  },
  contention: {
    meaning: 'Too many calls for the same record are running at once.',
    action: 'Repeat the call after Retry-After.',
  },
  paused: {
    meaning:
      'An operator’s pause, the minimum balance of the payout wallet, or today’s canary payout blocks new work; running work continues.',
    action: 'Repeat the same call later.',
  },
  grant_released: {
    meaning:
      'The call took so long that its free call or payment was returned before anything happened.',
    action: 'Repeat the same call.',
  },
  ...taskErrorHelp,
}
