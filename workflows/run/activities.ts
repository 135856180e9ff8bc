import type { LoopPlace, LoopStep, StepVerdict } from '../domain/runs/controlled-loop.ts'
import type { StateLimits } from '../shared/timing.ts'

/** What the workflow knows of a run. */
export type RunSnapshot = {
  runId: string
  taskId: string
  rail: string
  agentId: string | null
  usage: string
  attempt: number
  round: number
  /** The one to take next, null once the run is attested. */
  step: LoopStep | null
  /** `review`: the step waits for a decision; `over`: the task has to be moved before the run goes on, if it ever does. */
  next: 'step' | 'review' | 'over'
  /** When the review was opened that the run waits for. */
  reviewSince: string | null
  taken: { attempt: number; round: number; step: LoopStep; verdict: StepVerdict | null }[]
}

export type StepInput = LoopPlace & { runId: string; attempt: number; limits: StateLimits }

/** Short durable steps, run as local activities. */
export interface RunRecords {
  loadRun(runId: string): Promise<RunSnapshot | null>
  /** Opens the exception of a step that could not be taken. */
  failRun(input: StepInput & { detail: string }): Promise<RunSnapshot>
}

/** The nine steps of the loop; regular activities, each may run twice and is stored once. */
export interface LoopSteps {
  takeStep(input: StepInput): Promise<RunSnapshot>
}
