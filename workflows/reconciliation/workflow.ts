import * as wf from '@temporalio/workflow'
import { sections } from '../domain/core/difference.ts'
import { retryOf } from '../shared/local-activities.ts'
import { timing } from '../shared/timing.ts'
import type { Opened, ReconciliationSteps, Scope, Summary } from './activities.ts'

/** The progress of a run; a renewed run continues from it. */
type Progress = {
  stage: number
  /** The section of this stage has another page. */
  more: boolean
  compared: number
  suspects: number
  opened: number
}
export type ReconcileInput = {
  scope: Scope
  reconciliationId?: string
  opened?: Opened
  progress?: Progress
}

const taskQueue = 'transfers'
const retry = retryOf(timing.reconciliation)
const steps = (summary: string) =>
  wf.proxyActivities<ReconciliationSteps>({
    taskQueue,
    startToCloseTimeout: timing.reconciliation.startToClose,
    heartbeatTimeout: timing.reconciliation.heartbeat,
    retry,
    summary,
  })
const statements = wf.proxyActivities<Pick<ReconciliationSteps, 'makeStatement'>>({
  taskQueue,
  startToCloseTimeout: timing.statement.startToClose,
  heartbeatTimeout: timing.reconciliation.heartbeat,
  retry,
  summary: 'sign the next statement that is due',
})

const stages = (['compare', 'confirm'] as const).flatMap((action) =>
  sections.map((section) => ({ action, section })),
)
const FIRST_CONFIRM = sections.length
const STATEMENTS_MAX = 400

/**
 * One reconciliation: compares everything, waits until transfers in flight have landed, compares the suspects again, and opens an
 * exception for each confirmed difference. It repairs nothing. Then it signs the statements of the days that have become final.
 */
export async function reconcile({ scope, ...resumed }: ReconcileInput): Promise<Summary> {
  const reconciliationId = resumed.reconciliationId ?? wf.workflowInfo().runId
  const opened =
    resumed.opened ?? (await steps('fix the scope').openReconciliation({ reconciliationId, scope }))
  const run: Progress = resumed.progress ?? {
    stage: 0,
    more: false,
    compared: 0,
    suspects: 0,
    opened: 0,
  }
  const show = (doing: string) => wf.setCurrentDetails(detailsOf(opened, run, doing))

  for (; run.stage < stages.length; run.stage++) {
    const { action, section } = stages[run.stage] as (typeof stages)[number]
    if (action === 'confirm' && run.suspects === 0) continue
    if (run.stage === FIRST_CONFIRM && !run.more)
      await wf.sleep(opened.settleMs, { summary: 'waits until transfers in flight have landed' })
    do {
      show(`${action} ${section}`)
      const page = { reconciliationId, section }
      if (action === 'compare')
        Object.assign(run, await steps(`compare ${section}`).comparePage(page))
      else {
        const seen = await steps(`confirm ${section}`).confirmPage(page)
        run.opened += seen.opened.length
        run.more = seen.more
      }
      if (run.more && wf.workflowInfo().continueAsNewSuggested)
        await wf.continueAsNew<typeof reconcile>({ scope, reconciliationId, opened, progress: run })
    } while (run.more)
  }

  const { compared, differences } = await steps(
    'mark the differences that are gone',
  ).closeReconciliation({ reconciliationId })
  show('sign the statements that are due')
  const signed = await signStatements()
  show(
    differences === 0
      ? 'done: everything agrees'
      : `waits for an operator: ${differences} differences`,
  )
  return {
    reconciliationId,
    scope: opened.scope,
    compared,
    differences,
    opened: run.opened,
    statements: signed,
  }
}

async function signStatements(): Promise<string[]> {
  const days: string[] = []
  while (days.length < STATEMENTS_MAX) {
    const day = await statements.makeStatement()
    if (day === null) break
    days.push(day)
  }
  return days
}

function detailsOf(opened: Opened, run: Progress, doing: string): string {
  return [
    `### Reconciliation of ${opened.scope === 'all' ? 'everything' : 'the changes'}`,
    '',
    `| | |\n|---|---|\n| blocks | ${opened.fromBlock} to ${opened.throughBlock} |\n| compared | ${run.compared} |\n| suspected | ${run.suspects} |\n| opened | ${run.opened} |`,
    '',
    `**Now** ${doing}`,
  ].join('\n')
}
