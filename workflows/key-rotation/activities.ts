import type { RotationState } from '../domain/keys/rotation.ts'

/** What the workflow of a rotation knows of it. No key is in its history, only names. */
export type RotationSnapshot = {
  rotationId: string
  ring: string
  state: RotationState
  nextKid: string | null
  previousKid: string | null
  /** Milliseconds until the next step is due; 0 if it is due. */
  waitMs: number
}

/** Steps of a rotation. Each may run twice: the row in Postgres says what is done, and the signer makes one key for a rotation. */
export interface KeyRotationSteps {
  /** The open rotation of a ring; null if there is none. */
  loadRotation(ring: string): Promise<RotationSnapshot | null>
  /** Has the signer make the next key, and publishes its public half. */
  publishNextKey(rotationId: string): Promise<RotationSnapshot>
  /** Makes the next key the one that signs, if it is due. */
  activateNextKey(rotationId: string): Promise<RotationSnapshot>
  /** Retires the key before it, if it is due. */
  retirePreviousKey(rotationId: string): Promise<RotationSnapshot>
}
