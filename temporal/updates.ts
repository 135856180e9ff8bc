import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import type { Kysely } from 'kysely'
import { DomainError, refuse } from '#domain/core/errors.ts'
import type { Config } from '../activities/config/config.ts'
import { dropLease, takeLease } from '../activities/store/calls/leases.ts'
import type { Changes } from '../activities/store/postgres/changes.ts'
import type { Database } from '../activities/store/schema/schema.ts'
import { endBroken } from './broken-runs.ts'

export type UpdateDeps = {
  client: Client
  db: Kysely<Database>
  changes: Changes
  config: Pick<Config, 'UPDATE_WAIT_MS' | 'DEPENDENCY_TIMEOUT_MS'>
}

/** How long who only tells a workflow something waits for it, and then goes on: a worker's sweep tells it later. */
export const NOTIFY_MS = 2_000

/** How many steps of one workflow may be in flight at once over all API processes, where several callers may send them. */
export type Crowd = { readonly places: number }

/**
 * Sends one durable step and waits for its result. Any failure of the call itself is "unknown": it is tried again with a
 * fresh update id, because handlers are idempotent by state; only when the time is up, or Temporal does not answer, does
 * the caller get a 503. At most six updates of one workflow are in flight over all processes (payout.md, measured).
 */
export async function durableStep<Result>(
  deps: UpdateDeps,
  workflowId: string,
  send: (updateId: string) => Promise<Result>,
  crowd?: Crowd,
): Promise<Result> {
  const until = performance.now() + deps.config.UPDATE_WAIT_MS
  const holder = randomUUID()
  for (let attempt = 0; ; attempt += 1) {
    const slot = crowd && (await waitForSlot(deps, workflowId, holder, crowd, until))
    try {
      return await whileReachable(deps, workflowId, send(randomUUID()), until)
    } catch (error) {
      if (error instanceof DomainError) throw error
      if (performance.now() >= until) throw temporalDown('the step was not answered in time')
      await deps.changes.wait(workflowId, Math.min(50 * 2 ** attempt, 500))
    } finally {
      if (slot !== undefined) await dropLease(deps.db, workflowId, slot, holder)
    }
  }
}

async function waitForSlot(
  deps: UpdateDeps,
  workflowId: string,
  holder: string,
  { places }: Crowd,
  until: number,
): Promise<number> {
  for (;;) {
    const slot = await takeLease(
      deps.db,
      workflowId,
      holder,
      places,
      deps.config.UPDATE_WAIT_MS * 2,
    )
    if (slot !== undefined) return slot
    if (performance.now() >= until) {
      throw refuse('contention', {
        detail: 'too many steps of this payout are in flight',
        next_action: 'Repeat the call.',
        retry_after_ms: 500,
      })
    }
    await deps.changes.wait(workflowId, 50)
  }
}

/**
 * Waits for a result, but asks Temporal now and then whether it is there at all: a dead server is a 503 within 2 s. A run that
 * cannot answer is ended, and the next attempt begins another.
 */
async function whileReachable<Result>(
  deps: UpdateDeps,
  workflowId: string,
  sent: Promise<Result>,
  until: number,
): Promise<Result> {
  const settled = sent.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  for (;;) {
    let timer: NodeJS.Timeout | undefined
    const tick = new Promise<'tick'>((resolve) => {
      timer = setTimeout(() => resolve('tick'), deps.config.DEPENDENCY_TIMEOUT_MS)
    })
    const first = await Promise.race([settled, tick])
    clearTimeout(timer)
    if (first !== 'tick' && 'value' in first) return first.value
    if (!(await temporalAnswers(deps.client, 600))) throw temporalDown('Temporal does not answer')
    if (first !== 'tick') throw first.error
    await deps.client
      .withDeadline(Date.now() + 600, () => endBroken(deps.client, workflowId))
      .catch(() => false)
    if (performance.now() >= until) throw temporalDown('the step was not answered in time')
  }
}

/** Whether the Temporal frontend answers within `ms`. */
async function temporalAnswers(client: Client, ms: number): Promise<boolean> {
  try {
    await client.connection.withDeadline(Date.now() + ms, () =>
      client.workflowService.getSystemInfo({}),
    )
    return true
  } catch {
    return false
  }
}

const temporalDown = (detail: string) =>
  refuse('unavailable', {
    detail,
    next_action: 'Repeat the call with the same idempotency key; it joins what may have begun.',
    retry_after_ms: 1000,
  })
