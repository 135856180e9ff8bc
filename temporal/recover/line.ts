import type { Client } from '@temporalio/client'
import type { Kysely } from 'kysely'
import type { TokenAuthorization } from '../../activities/chain/authorization.ts'
import type { Outcome } from '../../activities/chain/outcome.ts'
import type { Database } from '../../activities/store/schema.ts'

export type RecoverDeps = {
  client: Client
  db: Kysely<Database>
  findOutcome: (authorization: TokenAuthorization, fromBlock: bigint) => Promise<Outcome>
}

/** How many open payouts and how many open tasks are looked at, at most. */
export const LOOKED_AT_MAX = 1_000

/** A payout or a task as it is listed. */
export type Line = {
  id: string
  kind: 'payout' | 'task'
  state: string
  /** Of the exception; `parked` for a transfer that is held up, `not_running` for what lost its workflow. */
  code: string | null
  rail: string
  usage: string
  agent: string | null
  needs_attention: boolean
  /** Whether its workflow has something to do, if only when a time is up. */
  at_work: boolean
  waits_for: string
}

/** What an id tells, name by name, in the order in which people read it. */
export type Explanation = Record<string, string | number | boolean | null>

/** Why an activity of this workflow fails now, null where none does. */
export async function lastFailure(client: Client, workflowId: string): Promise<string | null> {
  const description = await client.workflow.getHandle(workflowId).describe()
  const failed = description.raw.pendingActivities?.find((activity) => activity.lastFailure != null)
  return failed?.lastFailure?.message ?? null
}
