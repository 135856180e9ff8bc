import { ApplicationFailure } from '@temporalio/common'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import { DomainError } from '#domain/core/errors.ts'
import { isUnavailable } from '../activities/store/postgres/db.ts'
import { OUTAGE } from '../workflows/shared/outage-type.ts'

/**
 * Marks the failure of a step during which Postgres or the signer was away. Its workflow repeats it also after the last attempt, since
 * an outage proves nothing about the step.
 */
export const markOutages: ActivityInterceptorsFactory = () => ({
  inbound: {
    execute: (input, next) =>
      next(input).catch((error: unknown) => {
        throw isOutage(error) ? asOutage(error) : error
      }),
  },
})

const isOutage = (error: unknown): error is Error =>
  error instanceof DomainError ? error.refusal.code === 'unavailable' : isUnavailable(error)

const asOutage = (cause: Error): ApplicationFailure =>
  ApplicationFailure.retryable(cause.message, OUTAGE)
