/** The floor: what the engine and Postgres cost for a payout's three durable calls, with nothing of the rail in between. */
export const FLOOR_QUEUE = 'floor'
export const FLOOR_SIGNING_QUEUE = 'floor-signing'

/** `bare` signs inside the third call's local activity, `signing` by a regular activity on a task queue of its own. */
export type FloorVariant = 'bare' | 'signing'
/** Ids of one payout and of the call that is made for it; all hex, of the same lengths as the rail's. */
export type FloorStep = { payoutId: string; callId: string; creator: string; digest: string }

export interface FloorSteps {
  create(step: FloorStep): Promise<void>
  authorize(step: FloorStep): Promise<void>
  reserve(step: FloorStep): Promise<void>
  reserveAndSign(step: FloorStep): Promise<void>
}
export interface FloorSigning {
  sign(payoutId: string): Promise<void>
}

/** What a task and its run ask of the engine: short steps are local activities, one of them for each update, long ones are regular. */
export type FloorShape = { updates: number; shortSteps: number; run: { shortSteps: number; longSteps: number } }
export interface NoStep {
  nothing(): Promise<void>
}
