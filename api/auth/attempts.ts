import type { ErrorCode } from '#domain/core/error-codes.ts'
import { DomainError } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import {
  countInWindows,
  FAILED,
  readWindows,
  type WindowCount,
} from '../../activities/store/calls/window-counts.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'

/** Who tries: the client's address, and the id in the credential where there is one. */
type Attempt = { readonly address: string; readonly credentialId?: string | undefined }
export type Attempts = {
  guard<T>(attempt: Attempt, check: () => Promise<T>): Promise<T>
  /** Throws 429 where too many attempts of this address failed; for checks that ask other services. */
  assertFew(address: string): Promise<void>
}

/** The limits of an address, which apply before a check that asks another service. */
export type AskingLimits = {
  /** The limit of calls per address; `assertGranted` throws 429 `rate_limited`. */
  readonly limits: { address(address: string): Promise<{ assertGranted(): void }> }
  /** Failed credentials, counted and delayed over all processes. */
  readonly attempts: Attempts
}
/** Throws 429 where this caller may not cause a request to another service. */
export type MayAskOthers = () => Promise<void>

export const mayAskOthers =
  (address: string, { limits, attempts }: AskingLimits): MayAskOthers =>
  async () => {
    const ticket = await limits.address(address)
    ticket.assertGranted()
    await attempts.assertFew(address)
  }

const failing: ReadonlySet<ErrorCode> = new Set([
  'credential_invalid',
  'proof_invalid',
  'not_found',
  'wallet_proof_invalid',
  'wallet_proof_expired',
  'webhook_signature_invalid',
])

/** A failed attempt after too many others, which is answered late. */
export class TooManyAttempts extends DomainError {}

/**
 * Counts failed checks of credentials for each address and each presented credential. A correct credential is always accepted
 * at once; after `perMinute` failures within a minute each further one is 429. A subject over its limit is not counted
 * until its window ends, so it costs Postgres nothing.
 */
export function createAttempts(db: Tx, perMinute: number): Attempts {
  const over = new Map<string, number>()
  const count = inBatches((counts) =>
    countInWindows(db, counts, limits.failedAttemptsWindowSeconds),
  )

  const leftOf = (subjects: readonly string[]): number =>
    Math.max(...subjects.map((subject) => (over.get(subject) ?? 0) - performance.now()))
  const learn = (counted: ReadonlyMap<string, WindowCount>) => {
    const now = performance.now()
    for (const [subject, until] of over) if (until <= now) over.delete(subject)
    for (const [subject, { points, left_ms }] of counted)
      if (points > perMinute) over.set(subject, now + left_ms)
  }
  return {
    guard: ({ address, credentialId }, check) =>
      check().catch(async (error: unknown) => {
        if (!(error instanceof DomainError) || !failing.has(error.refusal.code)) throw error
        const own = `${FAILED}address:${address}`
        const subjects =
          credentialId === undefined ? [own] : [own, `${FAILED}credential:${credentialId}`]
        if (leftOf([own]) <= 0) learn(await count(subjects))
        const leftMs = leftOf(subjects)
        throw leftMs > 0 ? tooMany(leftMs) : error
      }),
    assertFew: async (address) => {
      const own = `${FAILED}address:${address}`
      if (leftOf([own]) <= 0) learn(await readWindows(db, [own]))
      const leftMs = leftOf([own])
      if (leftMs > 0) throw tooMany(leftMs)
    },
  }
}

/** Collects failures while a statement runs and counts them in the next one: a process runs one statement at a time. */
function inBatches(
  count: (counts: ReadonlyMap<string, number>) => Promise<Map<string, WindowCount>>,
) {
  let before: Promise<unknown> = Promise.resolve()
  let next: { counts: Map<string, number>; counted: Promise<Map<string, WindowCount>> } | undefined
  return (subjects: readonly string[]) => {
    if (next === undefined) {
      const counts = new Map<string, number>()
      const counted = before.then(() => {
        next = undefined
        return count(counts)
      })
      before = counted.catch(() => undefined)
      next = { counts, counted }
    }
    for (const subject of subjects) next.counts.set(subject, (next.counts.get(subject) ?? 0) + 1)
    return next.counted
  }
}

const tooMany = (leftMs: number): DomainError =>
  new TooManyAttempts({
    code: 'rate_limited',
    detail: 'too many attempts failed',
    next_action: 'Repeat the call with the right credential.',
    retry_after_ms: Math.max(1, Math.ceil(leftMs)),
  })
