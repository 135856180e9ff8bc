/** What the workflow knows of a step; what was sent and answered stays out of its history. */
export type StepSnapshot = { step: string; ok: boolean; status: number | null }

/** The steps of a test against the running service. Each may run twice: the first outcome is kept. */
export interface HarnessSteps {
  /** Plays a step as sandbox agents of this run and stores its outcome. Null for an unknown run. */
  playHarnessStep(testRunId: string, step: string): Promise<StepSnapshot | null>
  /** Stores the totals and the hash of the transcript; a step without an outcome has failed. Null for an unknown run. */
  endHarness(testRunId: string): Promise<{ passed: number; failed: number } | null>
}

/** The one step that leaves the service; it holds no secret. */
export interface CounterpartSteps {
  /** Asks the server that the caller named for its list of tools, through the guarded client. */
  listCounterpartTools(testRunId: string): Promise<StepSnapshot | null>
}
