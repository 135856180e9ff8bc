import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../../activities/store/db.ts'
import { countFailure, type Failures, readFailures } from '../../activities/store/failed-attempts.ts'
import { DomainError, type ErrorCode, refuse } from '../../workflows/domain/errors.ts'
import { limits } from '../../workflows/domain/limits.ts'

/** Who tries: the client's address, and the id in the credential where there is one. */
export type Attempt = { readonly address: string; readonly credentialId?: string | undefined }
export type Attempts = {
  guard<T>(attempt: Attempt, check: () => Promise<T>): Promise<T>
  /** Throws 429 where too many attempts of this address failed; for checks that ask other services. */
  assertFew(address: string): Promise<void>
}

const failing: ReadonlySet<ErrorCode> = new Set([
  'credential_invalid',
  'proof_invalid',
  'not_found',
  'wallet_proof_invalid',
  'wallet_proof_expired',
  'webhook_signature_invalid',
])

/**
 * Counts failed checks of credentials for each address and each presented credential. What is right is accepted at once, whatever
 * happened before; after `perMinute` failures within a minute each further one is answered late, with 429.
 */
export function createAttempts(db: Tx, perMinute: number): Attempts {
  const worst = (counted: readonly Failures[]) =>
    counted.filter(({ failures }) => failures > perMinute).sort((one, other) => other.leftMs - one.leftMs)[0]
  return {
    guard: ({ address, credentialId }, check) =>
      check().catch(async (error: unknown) => {
        if (!(error instanceof DomainError) || !failing.has(error.refusal.code)) throw error
        const subjects = [`address:${address}`, ...(credentialId === undefined ? [] : [`credential:${credentialId}`])]
        await countFailure(db, subjects, limits.failedAttemptsWindowSeconds)
        const exceeded = worst(await readFailures(db, subjects))
        if (exceeded === undefined) throw error
        await sleep(limits.guessedCredentialDelayMs)
        throw tooMany(exceeded.leftMs)
      }),
    assertFew: async (address) => {
      const exceeded = worst(await readFailures(db, [`address:${address}`]))
      if (exceeded !== undefined) throw tooMany(exceeded.leftMs)
    },
  }
}

const tooMany = (leftMs: number): DomainError =>
  refuse('rate_limited', 'too many attempts failed', 'Repeat the call with the right credential.', {
    retry_after_ms: Math.max(1, Math.ceil(leftMs)),
  })
