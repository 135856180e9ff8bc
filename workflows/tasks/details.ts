import { markdownCode } from '#domain/core/plain-text.ts'
import { allowedTaskEvents } from '#domain/tasks/lifecycle.ts'
import { taskWait } from '#domain/tasks/wait.ts'
import { detailsOf } from '../shared/details.ts'
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
