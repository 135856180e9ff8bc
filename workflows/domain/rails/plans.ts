// How the result of each rail is reported, by its key. A verifier in a browser makes reports without the work of the rails.
export { contractopsReport as contractops } from './contractops/report.ts'
export { diligenceopsReport as diligenceops } from './diligenceops/report.ts'
export { distributionopsReport as distributionops } from './distributionops/report.ts'
export { energyopsReport as energyops } from './energyops/report.ts'
export { financeopsReport as financeops } from './financeops/report.ts'
export { packetopsReport as packetops } from './packetops/report.ts'
export { scoutReport as scout } from './scout/report.ts'
export { tokenopsReport as tokenops } from './tokenops/report.ts'
