/** What the workflow of a delegated action knows; the input stays out of its history. */
export type DelegationSnapshot = {
  actionId: string
  operationId: string
  state: 'done' | 'refused'
  /** The code of a refusal. */
  refusal: string | null
}

/** The step of one delegated action. It may run twice: the operation recognises its repeat. */
export interface DelegationSteps {
  /** Starts the action if its mandate is still in force, runs its operation, and records the outcome. Null for an unknown action. */
  performAction(actionId: string): Promise<DelegationSnapshot | null>
}
