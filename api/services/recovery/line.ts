import type { Kysely } from 'kysely'
import { actionLines, type Wait } from '#domain/core/wait.ts'
import { recoverCommand } from '#domain/tasks/recover-command.ts'
import type { NodeState } from '../../../activities/chain/chain-nodes.ts'
import type { FindOutcome } from '../../../activities/chain/outcome.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { TemporalClient } from '../../../temporal/connection.ts'

export type RecoverDeps = {
  client: TemporalClient
  db: Kysely<Database>
  findOutcome: FindOutcome
  /** The nodes of the chain, each asked by itself. */
  nodes: () => Promise<readonly NodeState[]>
}

/** How many open payouts and how many open tasks are looked at, at most. */
export const LOOKED_AT_MAX = 1_000

/** A payout or a task as it is listed. */
export type Line = {
  id: string
  kind: 'payout' | 'task'
  summary: string
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

/** The explanation of a payout or task, as named values in reading order. */
export type Explanation = Record<string, string | number | boolean | null>

/** The wait of what a wake starts again. */
export const notRunning = (id: string): Wait => ({
  what: 'its workflow, which is not running',
  waiting_for: [],
  since: null,
  gaps: [],
  action: {
    by: 'operator',
    call: null,
    arguments: {},
    choices: [],
    command: recoverCommand(id, 'wake'),
  },
})

/** A wait in the names of an explanation; the lines of the action are to be copied as they are. */
export function explainWait({ what, waiting_for, since, gaps, action }: Wait): Explanation {
  return {
    waits_for: what,
    waiting_for: waiting_for.join(', ') || null,
    waiting_since: since,
    gaps:
      gaps
        .map(
          ({ code, kind, detail, filled_by, pointers }) =>
            `${kind}: ${code} at ${pointers.join(' ')}: ${detail}; filled by ${filled_by}`,
        )
        .join('\n') || null,
    required_by: action?.by ?? null,
    required_action: action === null ? null : actionLines(action).join('\n'),
    choices: action?.choices.join(', ') || null,
  }
}

/** Why an activity of this workflow fails now, null where none does. */
export async function lastFailure(
  client: TemporalClient,
  workflowId: string,
): Promise<string | null> {
  const description = await client.workflow.getHandle(workflowId).describe()
  const failed = description.raw.pendingActivities?.find((activity) => activity.lastFailure != null)
  return failed?.lastFailure?.message ?? null
}
