import type { Tier } from '#domain/rails/rail.ts'
import type { LoopPlace, LoopStep, StepVerdict } from '#domain/tasks/controlled-loop.ts'

/** The facts of a run that its workflow knows. */
export type RunSnapshot = {
  runId: string
  taskId: string
  rail: string
  tier: Tier
  agentId: string | null
  usage: string
  attempt: number
  round: number
  /** The next step; null once the run is attested. */
  step: LoopStep | null
  /** `review`: the step waits for a decision; `over`: the run cannot continue before an event of its task. */
  next: 'step' | 'review' | 'over'
  /** When the open review began. */
  reviewSince: string | null
  /** The work is to be drafted on before its review. */
  drafts?: true
  taken: { attempt: number; round: number; step: LoopStep; verdict: StepVerdict | null }[]
}

export type StepInput = LoopPlace & { runId: string; attempt: number }

/** Short durable steps, run as local activities. */
export interface RunRecords {
  loadRun(runId: string): Promise<RunSnapshot | null>
  /** Opens an exception for a step that was begun as often as it may be and stored nothing. */
  failRun(input: StepInput): Promise<RunSnapshot>
}

/** A round of an attempt of a run. */
export type DraftedRound = { runId: string; attempt: number; round: number }

/** What surrounds the calls of an optional model; each may run twice. */
export interface RunDrafts {
  /** Stores the prompts of the finished work, and returns their digests. */
  planDrafts(at: DraftedRound): Promise<string[]>
  /** Checks the stored outputs against the input, and stores the drafts. */
  keepDrafts(at: DraftedRound): Promise<void>
}

/** Calls of an optional model; each is made once per subject and prompt, and its end is stored. */
export interface ModelSteps {
  callModel(input: { subject: string; promptSha256: string }): Promise<void>
}

/** The nine steps of the loop; regular activities, each may run twice and is stored once. The last attempt stores why it failed. */
export interface LoopSteps {
  takeStep(input: StepInput): Promise<RunSnapshot>
}
