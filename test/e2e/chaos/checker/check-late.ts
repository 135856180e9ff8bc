import type { Complaint, Verdict, WorkflowFact } from './facts.ts'

/** After the quiet time before the check, whatever still stands as it stood this long ago is stuck: no step and no block takes that long. */
const LATE_MS = 20_000

/** Every row is carried on by itself; a workflow that runs and does not know its row carries on nothing. */
export const checkLate: Verdict = ({ store, workflows }) =>
  store.openRows
    .filter(({ age_ms }) => age_ms > LATE_MS)
    .map((row): Complaint => {
      const running = workflows.filter((workflow) => drives(workflow, row.id))
      const how = running.length > 0 ? 'while its workflow runs' : 'and no workflow runs'
      const what = `a ${row.subject} stays ${row.state} ${how}`
      return { as: 'stuck', what, evidence: { row, running }, payoutId: row.id }
    })

const drives = ({ workflowId, status }: WorkflowFact, id: string): boolean =>
  status === 'RUNNING' && workflowId.endsWith(id)
