/** What became of one firing of a customer's workflow. */
export type FiringSnapshot = {
  firingId: string
  state: 'due' | 'started' | 'refused'
  runId: string | null
  /** The code of a refusal. */
  code: string | null
}

/** The step of a firing; it may run twice: the run of a firing is started once. */
export interface FiringSteps {
  /** Starts the run of a firing, or records why it does not start. Null for an unknown workflow. */
  fireWorkflow(input: { workflowId: string; firing: string }): Promise<FiringSnapshot | null>
}
