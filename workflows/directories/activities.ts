import type { SubmissionState } from '#domain/resolver/directory.ts'

/** What the workflow of a submission knows of it. The URL stays out of history, because it may carry a secret. */
export type SubmissionSnapshot = {
  submissionId: string
  directory: string
  state: SubmissionState
  attempts: number
  /** Milliseconds until the next attempt is due; 0 if it is due. */
  waitMs: number
  lastFailure: string | null
}

/** The step of a submission. It may run twice: an attempt is stored before it is sent, and all send the stored document. */
export interface DirectorySteps {
  /** Makes the attempt that is due, if one is, and stores its outcome. Null for an unknown submission. */
  submitToDirectory(submissionId: string): Promise<SubmissionSnapshot | null>
}
