import type { ErrorCode } from './errors.ts'

/** The words of the codes that only tasks are refused with; part of `errorHelp`. */
export const taskErrorHelp = {
  not_ready: {
    meaning: 'The act needs something that is not there yet; "next_action" names it.',
    action: 'Do that first, then repeat the call.',
  },
  quote_mismatch: {
    meaning: 'The quote is for another rail, tier or task, or for the other kind of run.',
    action: 'Ask for a quote with the token of the task, and use that.',
  },
  callback_refused: {
    meaning: 'Callbacks go to public HTTPS URLs only, and this is none.',
    action: 'Name another URL, or none.',
  },
  input_too_complex: {
    meaning: 'The work on this input went over a limit of processor time or memory, which would happen again.',
    action: 'Send a smaller or simpler input, or abandon the task, which returns its credit.',
  },
  receipt_invalid: {
    meaning: 'The receipt is not one of the thing that the call is about.',
    action: 'Name a receipt that the service gave for it.',
  },
  recovery_not_allowed: {
    meaning: 'Each exception allows some recoveries, and this is none of them.',
    action: 'Read the exception; it lists the recoveries that it allows.',
  },
  expired: {
    meaning: 'The offer stood for a limited time, which is over.',
    action: 'Begin anew with a new idempotency key.',
  },
  terms_mismatch: {
    meaning: 'What was accepted is not what the contract says.',
    action: 'Read the contract and accept the digest of its terms.',
  },
  evidence_mismatch: {
    meaning: 'The digest of the content is not among those that were announced for it.',
    action: 'Send the content that was announced.',
  },
} as const satisfies Partial<Record<ErrorCode, { meaning: string; action: string }>>
