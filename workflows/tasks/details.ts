import type { SearchAttributeUpdatePair } from '@temporalio/common'
import { markdownCode } from '#domain/core/plain-text.ts'
import { allowedTaskEvents } from '#domain/tasks/lifecycle.ts'
import { taskWait } from '#domain/tasks/wait.ts'
import { detailsOf } from '../shared/details.ts'
import { searchAttributes } from '../shared/search-attributes.ts'
import type { TaskSnapshot } from './activities.ts'

/** `Task packetops standard (synthetic)`: the line an operator sees in the workflow list. */
export function taskSummary(task: { rail: string; tier: string; usage: string }): string {
  return `Task ${task.rail} ${task.tier} (${task.usage})`
}

/** Markdown for the Temporal UI. Texts of agents are inline code, so that they are not markup. */
export function taskDetails(task: TaskSnapshot): string {
  const { state, resumeState, exception } = task
  return detailsOf({
    title: taskSummary(task),
    rows: [
      ['state', `**${state}**${resumeState === null ? '' : `, interrupted in ${resumeState}`}`],
      ['last event', `${task.lastEvent} (${task.sequence})`],
      ['agent', task.agentId ?? '–'],
      ['run', task.runId ?? '–'],
      ['allowed events', allowedTaskEvents(state).join(', ') || '–'],
      [
        'exception',
        exception === null ? '–' : `${exception.code}: ${markdownCode(exception.detail, 200)}`,
      ],
    ],
    wait: taskWait(task),
  })
}

/** States in which a task waits for a person. */
export const attended = ['trust_pending', 'exception_open', 'replay_ready', 'evidence_partial']

/** States that only a caller or an operator ends; a task leaves the other states automatically. */
export const endedByOthers = [...attended, 'preflight_checked', 'trusted', 'closed']

type Attended = Pick<TaskSnapshot, 'state' | 'isReviewed' | 'review'>

/** Whether a task waits for a person, for example for the review of its result. */
const needsAttention = ({ state, isReviewed, review }: Attended): boolean =>
  attended.includes(state) || (state === 'credit_funded' && !isReviewed) || review !== null

type Filtered = Attended &
  Pick<TaskSnapshot, 'usage' | 'rail' | 'agentId'> & { exception: { code: string } | null }

/** A task's search attributes; null removes one. */
export function taskAttributes(task: Filtered): SearchAttributeUpdatePair[] {
  return [
    { key: searchAttributes.State, value: task.state },
    { key: searchAttributes.Usage, value: task.usage },
    { key: searchAttributes.Rail, value: task.rail },
    { key: searchAttributes.AgentId, value: task.agentId },
    { key: searchAttributes.ExceptionCode, value: task.exception?.code ?? null },
    { key: searchAttributes.NeedsAttention, value: needsAttention(task) },
  ]
}
