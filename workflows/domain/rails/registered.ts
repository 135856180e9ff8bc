// The rails by their keys, which `railKeys` lists; scout is made over them.
export { contractops } from './contractops/index.ts'
export { diligenceops } from './diligenceops/index.ts'
export { distributionops } from './distributionops/index.ts'
export { energyops } from './energyops/index.ts'
export { financeops } from './financeops/index.ts'
export { packetops } from './packetops/index.ts'
export { tokenops } from './tokenops/index.ts'
