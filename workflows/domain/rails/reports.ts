import * as plans from './plans.ts'
import type { RailKey } from './rail.ts'
import type { ReportPlan } from './report/plan.ts'
import { type ReportedRun, type ReportedWork, reportFiles } from './report/report.ts'

/** How the result of each rail is reported. */
export const reportPlans: Readonly<Record<RailKey, ReportPlan>> = { ...plans }

/** The report of a run's work by the plan of its rail, as texts by file name. */
export const reportOf = (run: ReportedRun, work: ReportedWork): Record<string, string> =>
  reportFiles(run, work, reportPlans[run.rail])
