import type { Kysely } from 'kysely'
import { actionLines, type Wait } from '#domain/reviews/wait.ts'
import { recoverCommand } from '#domain/tasks/exception.ts'
import type { NodeState } from '../../../activities/chain/chain-nodes.ts'
import type { FindOutcome } from '../../../activities/chain/outcome.ts'
import type {
  LateSubject,
  OpenRow,
  TargetAges,
} from '../../../activities/store/recovery/late-rows.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { TemporalClient } from '../../../temporal/connection.ts'
import { wakes } from '../../../temporal/late-rows.ts'

export type RecoverDeps = {
  ages: TargetAges
  client: TemporalClient
  db: Kysely<Database>
  findOutcome: FindOutcome
  /** The nodes of the chain, each asked by itself. */
  nodes: () => Promise<readonly NodeState[]>
}

/** How many open payouts and how many open tasks are looked at, at most. */
export const LOOKED_AT_MAX = 1_000

/** An open row as it is listed. */
export type Line = {
  id: string
  kind: LateSubject
  summary: string
  state: string
  /** Of the exception; `parked` for a transfer that is held up, `late` for what is older than its target. */
  code: string | null
  rail: string | null
  usage: string | null
  agent: string | null
  /** Whether it is stopped or late. */
  needs_attention: boolean
  waits_for: string
  /** The command that helps; null where no one has to do anything. */
  act: string | null
}

/** A late row of a subject that has no view of its own. */
export const lateLine = ({ subject, id, state, since }: OpenRow): Line => ({
  id,
  kind: subject,
  summary: `${subject.replace('_', ' ')} since ${since.toISOString()}`,
  state,
  code: 'late',
  rail: null,
  usage: null,
  agent: null,
  needs_attention: true,
  waits_for: wakes[subject].missing,
  act: recoverCommand(id, 'wake'),
})

/** The line of a payout or task that is late; one that is stopped keeps its cause and its act. */
export const asLate = (line: Line): Line => ({
  ...line,
  code: line.code ?? 'late',
  needs_attention: true,
  act: line.act ?? recoverCommand(line.id, 'wake'),
})

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
