import {
  type Complaint,
  groupBy,
  indexBy,
  type TransferFact,
  type Verdict,
  type WorkflowFact,
} from './facts.ts'

const bad = ['FAILED', 'TERMINATED', 'TIMED_OUT', 'CANCELLED']
/** A workflow task is tried again at once after a lost worker; this often it fails for a reason that does not go away. */
const MOST_ATTEMPTS = 3
/** The last event of a run that the service ended by itself. */
const GIVEN_UP = 'workflowExecutionTerminated: workflow_task_broken'

/** No workflow failed, and every unfinished one is either reported to an operator or not in flight. */
export const checkWorkflows: Verdict = ({ workflows, store }) => {
  const payouts = indexBy(store.payouts, ({ payout_id }) => payout_id)
  const transfers = indexBy(store.transfers, ({ payout_id }) => payout_id)
  const open = groupBy(
    workflows.filter(({ status }) => status === 'RUNNING'),
    ({ workflowId }) => workflowId,
  )
  const stuck = (what: string, evidence: unknown, payoutId: string | null = null): Complaint => ({
    as: 'stuck',
    what,
    evidence,
    payoutId,
  })
  const failed = workflows.flatMap((workflow) => {
    const { workflowId, status, taskAttempts } = workflow
    if (wasRelieved(workflow, workflows)) return []
    if (bad.includes(status)) return [stuck(`a workflow is ${status}`, workflow, workflowId)]
    if (taskAttempts > MOST_ATTEMPTS)
      return [stuck('a workflow task keeps failing', workflow, workflowId)]
    if (status !== 'RUNNING' || workflow.type !== 'payout') return []
    if (!payouts.has(workflowId))
      return [stuck('a payout workflow has no payout', workflow, workflowId)]
    return isOver(transfers.get(workflowId))
      ? [stuck('a payout is over and its workflow open', workflow, workflowId)]
      : []
  })
  const waiting = store.transfers.flatMap((transfer) =>
    isOver(transfer) ? [] : checkWaiting(transfer, open.get(transfer.payout_id)?.[0], stuck),
  )
  return [...failed, ...waiting]
}

/** Whether the service ended this run, whose task did fail, and another of the same workflow came after it. */
function wasRelieved(
  { workflowId, startedAt, history }: WorkflowFact,
  workflows: readonly WorkflowFact[],
): boolean {
  const lastTask = history.findLast((line) => /workflowTask(Completed|Failed|TimedOut)/.test(line))
  return (
    history.at(-1)?.endsWith(GIVEN_UP) === true &&
    /Failed|TimedOut/.test(lastTask ?? '') &&
    workflows.some((other) => other.workflowId === workflowId && other.startedAt > startedAt)
  )
}

const isOver = (transfer: TransferFact | undefined) =>
  transfer?.status === 'final' || transfer?.status === 'dead'

function checkWaiting(
  transfer: TransferFact,
  workflow: WorkflowFact | undefined,
  stuck: (what: string, evidence: unknown, payoutId: string) => Complaint,
): Complaint[] {
  const notified = transfer.parked !== null || transfer.exception !== null
  const evidence = { transfer, workflow }
  if (workflow === undefined)
    return [
      stuck('a transfer is in flight and no workflow drives it', evidence, transfer.payout_id),
    ]
  if (!notified) return [stuck(`a transfer stays ${transfer.status}`, evidence, transfer.payout_id)]
  return workflow.needsAttention
    ? []
    : [stuck('a transfer waits for an operator who was not notified', evidence, transfer.payout_id)]
}
