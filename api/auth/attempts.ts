import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../../activities/store/db.ts'
import { countFailure, readFailures } from '../../activities/store/failed-attempts.ts'
import { DomainError, type ErrorCode, refuse } from '../../workflows/domain/errors.ts'
import { limits } from '../../workflows/domain/limits.ts'

/** Who tries: the client's address, and the id in the credential where there is one. */
export type Attempt = { readonly address: string; readonly credentialId?: string | undefined }
export type Attempts = { guard<T>(attempt: Attempt, check: () => Promise<T>): Promise<T> }

const failing: ReadonlySet<ErrorCode> = new Set(['credential_invalid', 'proof_invalid', 'not_found'])

/**
 * Guards a check of credentials. An address that failed `perMinute` times within a minute gets 429 before anything is looked at,
 * also for what would be right. A credential that others are guessing at is looked at after a pause each time: its agent is
 * slowed, and cannot be locked out by whoever knows the id.
 */
export function createAttempts(db: Tx, perMinute: number): Attempts {
  return {
    guard: async ({ address, credentialId }, check) => {
      const subjects = [`address:${address}`, ...(credentialId === undefined ? [] : [`credential:${credentialId}`])]
      const [ofAddress, ofCredential] = await readFailures(db, subjects)
      if (ofAddress !== undefined && ofAddress.failures >= perMinute) throw tooMany(ofAddress.leftMs)
      if (ofCredential !== undefined && ofCredential.failures >= perMinute) await sleep(limits.guessedCredentialDelayMs)
      return check().catch(async (error: unknown) => {
        if (error instanceof DomainError && failing.has(error.refusal.code))
          await countFailure(db, subjects, limits.failedAttemptsWindowSeconds)
        throw error
      })
    },
  }
}

const tooMany = (leftMs: number): DomainError =>
  refuse('rate_limited', 'too many attempts failed', 'Repeat the call with the right credential after Retry-After.', {
    retry_after_ms: Math.max(1, Math.ceil(leftMs)),
  })
