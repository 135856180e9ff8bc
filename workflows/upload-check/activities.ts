/** What the workflow of a check knows; values from rows stay out of its history. */
export type UploadCheckSnapshot = {
  rail: string
  list: string
  rows: number | null
  faults: number | null
  refused: string | null
}

/** The step of one check. It may run twice: the first outcome is kept. */
export interface UploadCheckSteps {
  /** Reads the upload as its rail would and stores the outcome. Null for an unknown check. */
  checkUpload(checkId: string): Promise<UploadCheckSnapshot | null>
}
