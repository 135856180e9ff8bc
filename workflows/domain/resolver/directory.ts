import { digestOf } from '../core/canonical-json.ts'
import type { StateTable } from '../core/state-table.ts'

/** `failed` says that no attempt got an answer that decides; a directory may have taken the document all the same. */
export const submissionStates = ['prepared', 'submitted', 'accepted', 'refused', 'failed'] as const
export type SubmissionState = (typeof submissionStates)[number]

/** The state table of a submission; an attempt that decides nothing leaves it submitted. */
export const submissionTransitions: StateTable<
  SubmissionState,
  'submit' | 'accept' | 'refuse' | 'give_up'
> = {
  prepared: { submit: 'submitted' },
  submitted: { accept: 'accepted', refuse: 'refused', give_up: 'failed' },
  accepted: {},
  refused: {},
  failed: {},
}

/** What one attempt came to; after `unknown` the same document is sent again. */
export type SubmissionOutcome = 'accepted' | 'refused' | 'unknown'

/** `ds_` + SHA-256: one submission for each directory and document, and the idempotency key of all its attempts. */
export const submissionIdOf = (directory: string, documentSha256: string): string =>
  `ds_${digestOf({ type: 'service.directory-submission.v1', directory, document_sha256: documentSha256 })}`

/** 408, 425 and 429 ask for another attempt. */
const later: readonly number[] = [408, 425, 429]

/** 2xx is accepted; a redirect, which is not followed, and 4xx refuse; a server error or no answer decides nothing. */
export function submissionOutcome(status: number | undefined): SubmissionOutcome {
  if (status === undefined || status < 200 || status >= 500) return 'unknown'
  if (status < 300) return 'accepted'
  return later.includes(status) ? 'unknown' : 'refused'
}
