import { contractopsReport } from '../contractops/report.ts'
import { diligenceopsReport } from '../diligenceops/report.ts'
import { distributionopsReport } from '../distributionops/report.ts'
import { energyopsReport } from '../energyops/report.ts'
import { financeopsReport } from '../financeops/report.ts'
import { packetopsReport } from '../packetops/report.ts'
import type { RailKey } from '../rail.ts'
import { scoutReport } from '../scout/report.ts'
import { tokenopsReport } from '../tokenops/report.ts'
import type { ReportPlan } from './plan.ts'

/** How the result of each rail is reported. */
export const reportPlans: Record<RailKey, ReportPlan> = {
  contractops: contractopsReport,
  diligenceops: diligenceopsReport,
  distributionops: distributionopsReport,
  energyops: energyopsReport,
  financeops: financeopsReport,
  packetops: packetopsReport,
  scout: scoutReport,
  tokenops: tokenopsReport,
}
