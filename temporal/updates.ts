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

/** How long a caller waits to notify a workflow. After that it gives up, and a worker's sweep notifies the workflow later. */
export const NOTIFY_MS = 2_000

/** Tries once to notify a workflow and never fails: what did not arrive is found by its row. */
export const tryOnce = (client: Client, notify: () => Promise<void>): Promise<void> =>
  client.withDeadline(Date.now() + NOTIFY_MS, notify).catch(() => undefined)

/** A start that joins the open run of the workflow, or begins a new run where the last one has ended. */
export const joinsOpenRun = {
  workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  workflowIdConflictPolicy: 'USE_EXISTING',
} as const

export type DurableStep<Result> = {
  readonly workflowId: string
  readonly send: (updateId: string) => Promise<Result>
  /** How many steps of the workflow may be in flight over all API processes, if several callers may send them. */
  readonly slots?: number
}

/**
 * Sends one durable step and waits for its result. A failed call has an unknown outcome, so it is retried with a new update id:
 * handlers are idempotent by state. The caller gets a 503 only if the time is over or Temporal does not answer.
 */
export async function durableStep<Result>(
  deps: UpdateDeps,
  { workflowId, send, slots }: DurableStep<Result>,
): Promise<Result> {
  const until = performance.now() + deps.config.UPDATE_WAIT_MS
  const holder = randomUUID()
  for (let attempt = 0; ; attempt += 1) {
    const slot = slots && (await waitForSlot(deps, { workflowId, holder, slots, until }))
    try {
      return await whileReachable(deps, { workflowId, until }, send(randomUUID()))
    } catch (error) {
      if (error instanceof DomainError) throw error
      if (performance.now() >= until) throw temporalDown('the step was not answered in time')
      await deps.changes.wait(workflowId, Math.min(50 * 2 ** attempt, 500))
    } finally {
      if (slot !== undefined) await dropLease(deps.db, workflowId, slot, holder)
    }
  }
}

type SlotRequest = { workflowId: string; holder: string; slots: number; until: number }

async function waitForSlot(
  deps: UpdateDeps,
  { workflowId, holder, slots, until }: SlotRequest,
): Promise<number> {
  const leaseMs = deps.config.UPDATE_WAIT_MS * 2
  for (let attempt = 0; ; attempt += 1) {
    const slot = await takeLease(deps.db, workflowId, holder, slots, leaseMs)
    if (slot !== undefined) return slot
    if (performance.now() >= until) {
      throw refuse('contention', {
        detail: 'too many steps of this payout are in flight',
        next_action: 'Repeat the call.',
        retry_after_ms: 500,
      })
    }
    await deps.changes.wait(workflowId, Math.min(50 * 2 ** attempt, 400))
  }
}

/**
 * Waits for a result, and checks at intervals that Temporal answers: a dead server is a 503 within 2 s. A broken run is
 * terminated, and the next attempt starts a new one.
 */
async function whileReachable<Result>(
  deps: UpdateDeps,
  { workflowId, until }: Pick<SlotRequest, 'workflowId' | 'until'>,
  sent: Promise<Result>,
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
    next_action:
      'Repeat the call with the same idempotency key; it joins the step that may have begun.',
    retry_after_ms: 1000,
  })
