import * as wf from '@temporalio/workflow'
import { sections } from '../domain/core/difference.ts'
import { retryOf } from '../shared/retry.ts'
import { timing } from '../shared/timing.ts'
import type { Opened, ReconciliationSteps, Scope, Summary } from './activities.ts'

/** Where a run stands; a renewed run goes on from it. */
type Progress = {
  stage: number
  after: string | null
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
  retry,
  summary: 'sign the next statement that is due',
})

const stages = (['compare', 'confirm'] as const).flatMap((act) =>
  sections.map((section) => ({ act, section })),
)
const FIRST_CONFIRM = sections.length
const STATEMENTS_MAX = 400

/**
 * One reconciliation: looks at everything, waits until what was in flight has landed, looks again at what differed, and opens
 * an exception for what still does. Repairs nothing. Then signs the statements of the days that have become final.
 */
export async function reconcile({ scope, ...resumed }: ReconcileInput): Promise<Summary> {
  const reconciliationId = resumed.reconciliationId ?? wf.workflowInfo().runId
  const opened =
    resumed.opened ??
    (await steps('fix what is looked at').openReconciliation({ reconciliationId, scope }))
  const run: Progress = resumed.progress ?? {
    stage: 0,
    after: null,
    compared: 0,
    suspects: 0,
    opened: 0,
  }
  const show = (doing: string) => wf.setCurrentDetails(detailsOf(opened, run, doing))

  for (; run.stage < stages.length; run.stage++) {
    const { act, section } = stages[run.stage] as (typeof stages)[number]
    if (act === 'confirm' && run.suspects === 0) continue
    if (run.stage === FIRST_CONFIRM && run.after === null)
      await wf.sleep(opened.settleMs, { summary: 'lets what is in flight land' })
    do {
      show(`${act} ${section}`)
      const page = { reconciliationId, section, after: run.after }
      if (act === 'compare') {
        const seen = await steps(`compare ${section}`).comparePage(page)
        run.compared += seen.compared
        run.suspects += seen.suspects
        run.after = seen.after
      } else {
        const seen = await steps(`look again at ${section}`).confirmPage(page)
        run.opened += seen.opened.length
        run.after = seen.after
      }
      if (run.after !== null && wf.workflowInfo().continueAsNewSuggested)
        await wf.continueAsNew<typeof reconcile>({ scope, reconciliationId, opened, progress: run })
    } while (run.after !== null)
  }

  const { compared } = run
  const { differences } = await steps('mark what is gone').closeReconciliation({
    reconciliationId,
    compared,
  })
  show('sign the statements that are due')
  const signed = await signStatements()
  show(differences === 0 ? 'nothing: everything agrees' : `an operator: ${differences} differences`)
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
    `### Reconciliation of ${opened.scope === 'all' ? 'everything' : 'what changed'}`,
    '',
    `| | |\n|---|---|\n| blocks | ${opened.fromBlock} to ${opened.throughBlock} |\n| compared | ${run.compared} |\n| suspected | ${run.suspects} |\n| opened | ${run.opened} |`,
    '',
    `**Now** ${doing}`,
  ].join('\n')
}
