import { allowedTaskEvents, type TaskState } from '../domain/task-lifecycle.ts'
import type { TaskSnapshot } from './ports.ts'

/** `packetops standard (synthetic)`: the line an operator sees in the workflow list. */
export function taskSummary(task: { rail: string; tier: string; usage: string }): string {
  return `Task ${task.rail} ${task.tier} (${task.usage})`
}

const waits: Partial<Record<TaskState, [what: string, act: string]>> = {
  preflight_checked: ['a contract to be prepared', 'POST /api/agents/contracts'],
  contract_ready: ['the agent to accept the contract', 'POST /api/agents/contracts/{contract_id}'],
  trust_pending: ['an operator to trust the agent', 'POST /api/loop-review-console'],
  trusted: ['a quote', 'POST /api/agents/quote'],
  quoted: ['a payment challenge', 'create_payment_challenge'],
  credit_pending: ['the money', 'POST /api/agents/credits/{entitlement_id}'],
  queued: ['a free slot for its run', 'none'],
  operating: ['its run', 'see the workflow of the run'],
  result_ready: ['its run to be attested', 'see the workflow of the run'],
  evidence_partial: ['evidence that the input lacks', 'POST /api/agents/tasks/{token}/recover'],
  attested: ['the usage receipt', 'none'],
  receipt_issued: ['its callback to be scheduled', 'none'],
  callback_pending: ['the receiver of the callback', 'see the workflow of the callback'],
  closed: ['nothing: closed', 'none'],
}

/** What the task waits for now, and the act that unblocks it. */
export function taskWaitsFor(task: TaskSnapshot): { what: string; act: string } {
  if (task.exception !== null) {
    const { code, recoveries } = task.exception
    const what = task.state === 'replay_ready' ? `its replay after ${code}` : `a recovery from ${code}`
    return { what, act: `POST /api/agents/tasks/{token}/recover: ${recoveries.join(', ')}` }
  }
  if (task.state === 'credit_funded') {
    const missing = [...(task.hasInput ? [] : ['its input']), ...(task.isReviewed ? [] : ['a review'])]
    return {
      what: missing.join(' and ') || 'nothing',
      act: 'POST /api/agent-self-serve-rail-loop, loop-review-console',
    }
  }
  const [what, act] = waits[task.state] ?? ['the service', 'none']
  return { what, act }
}

/** Markdown for the Temporal UI: state, last event, what it waits for, the act that unblocks it. */
export function taskDetails(task: TaskSnapshot): string {
  const { what, act } = taskWaitsFor(task)
  const rows = [
    ['state', `**${task.state}**${task.resumeState === null ? '' : `, interrupted in ${task.resumeState}`}`],
    ['last event', `${task.lastEvent} (${task.sequence})`],
    ['agent', task.agentId ?? '–'],
    ['run', task.runId ?? '–'],
    ['allowed now', allowedTaskEvents(task.state).join(', ') || '–'],
    ['exception', task.exception === null ? '–' : `${task.exception.code}: ${task.exception.detail.slice(0, 200)}`],
  ]
  return [
    `### ${taskSummary(task)}`,
    '',
    `| | |\n|---|---|\n${rows.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}`,
    '',
    `**Waits for** ${what}`,
    '',
    `**Unblocked by** ${act}`,
  ].join('\n')
}
