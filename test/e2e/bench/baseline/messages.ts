/** The baseline: what the engine and Postgres cost for a payout's three durable calls, with nothing of the rail in between. */
export const FLOOR_QUEUE = 'baseline'
export const FLOOR_SIGNING_QUEUE = 'baseline-signing'

/** `bare` signs inside the third call's local activity, `signing` by a regular activity on a task queue of its own. */
export type BaselineVariant = 'bare' | 'signing'
/** Ids of one payout and of the call that is made for it; all hex, of the same lengths as the rail's. */
export type BaselineStep = { payoutId: string; callId: string; creator: string; digest: string }

export interface BaselineSteps {
  create(step: BaselineStep): Promise<void>
  authorize(step: BaselineStep): Promise<void>
  reserve(step: BaselineStep): Promise<void>
  reserveAndSign(step: BaselineStep): Promise<void>
}
export interface BaselineSigning {
  sign(payoutId: string): Promise<void>
}

/** What a task and its run ask of the engine: short steps are local activities, one of them for each update, long ones are regular. */
export type BaselineShape = {
  updates: number
  shortSteps: number
  run: { shortSteps: number; longSteps: number }
}
export interface NoStep {
  nothing(): Promise<void>
}
