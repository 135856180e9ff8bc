import type { ErrorCode } from './error-codes.ts'

/** The words of the codes that only tasks are refused with; part of `errorHelp`. */
export const taskErrorHelp = {
  not_ready: {
    meaning: 'The call needs something that does not exist yet; "next_action" names it.',
    action: 'Do that first, then repeat the call.',
  },
  conditions_unmet: {
    meaning: 'The run closed, and "unmet" names the conditions that its records do not show.',
    action: 'Start another run with a new key and quote.',
  },
  quote_mismatch: {
    meaning: 'The quote is for another rail, tier or task, or for the other kind of run.',
    action: 'Ask for a quote for this run, or with the token of this task, and use that quote.',
  },
  callback_refused: {
    meaning: 'Callbacks go to public HTTPS URLs only, and this is not one.',
    action: 'Name a public HTTPS URL, or none.',
  },
  input_too_complex: {
    meaning:
      'The work on this input exceeded a limit of processor time or memory. A retry would fail in the same way.',
    action: 'Send a smaller or simpler input, or abandon the task, which returns its credit.',
  },
  receipt_invalid: {
    meaning: 'The receipt does not belong to the record of this call.',
    action: 'Name a receipt that the service issued for this record.',
  },
  recovery_not_allowed: {
    meaning: 'The exception does not allow this recovery.',
    action: 'Read the exception, which lists the recoveries that it allows.',
  },
  expired: {
    meaning: 'The offer was valid for a limited time, which is over.',
    action: 'Start again with a new idempotency key.',
  },
  terms_mismatch: {
    meaning: 'The accepted terms are not the terms of the contract or invitation.',
    action: 'Read it and accept the digest of its terms.',
  },
  evidence_mismatch: {
    meaning: 'The digest of the content was not announced for it.',
    action: 'Send the announced content.',
  },
} as const satisfies Partial<Record<ErrorCode, { meaning: string; action: string }>>
