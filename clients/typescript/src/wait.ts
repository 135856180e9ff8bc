import { setTimeout as pause } from 'node:timers/promises'
import type { Client, InputOf, OutputOf } from '../../../api/http/client.ts'
import type { OwnTask } from './order.ts'

const WITHIN_MS = 60_000
const ASK_FOR_MS = 20_000

export type Run = OutputOf<'get-run-status'>['run']

/** The run once it is closed, or stopped by an exception; throws when it takes longer. */
export async function waitForRun(
  client: Client,
  run_id: string,
  withinMs = WITHIN_MS,
): Promise<Run> {
  const until = Date.now() + withinMs
  for (;;) {
    const wait_ms = Math.max(0, Math.min(ASK_FOR_MS, until - Date.now()))
    const { run } = (
      await client.call('get-run-status', { mode: 'get_run_status', run_id, wait_ms })
    ).body
    if (run.state === 'closed' || run.state === 'exception_open') return run
    if (Date.now() >= until)
      throw new Error(`the run is ${run.state} after ${withinMs} ms: ${run.next_action}`)
  }
}

/** The task and its ledger once it has come to this state; throws when it is stopped on the way, or takes longer. */
export async function waitForTask(
  { holder }: Pick<OwnTask, 'holder'>,
  state: string,
  withinMs = WITHIN_MS,
): Promise<OutputOf<'task-ledger'>> {
  const until = Date.now() + withinMs
  for (;;) {
    const { body } = await holder.call('task-ledger', {})
    if (body.entries.some(({ to_state }) => to_state === state)) return body
    const { state: now, next_action } = body.task
    if (now === 'exception_open' || Date.now() > until)
      throw new Error(`the task stands in ${now} and did not come to ${state}: ${next_action}`)
    await pause(100)
  }
}

/** Executes a payout and repeats the call with the same key until it is executed; throws when it takes longer. */
export async function executePayout(
  client: Client,
  execute: InputOf<'payout-execute'>,
  withinMs = WITHIN_MS,
): Promise<OutputOf<'payout-execute'>> {
  const until = Date.now() + withinMs
  for (;;) {
    const { status, body } = await client.call('payout-execute', execute)
    if (status === 200) return body
    const { next_action, transfer } = body.payout
    if (Date.now() > until)
      throw new Error(`the payout is not executed after ${withinMs} ms: ${next_action}`)
    await pause(transfer.next_poll_ms ?? 1000)
  }
}
