export { payment } from './payment/workflow.ts'
export { payout } from './payout/workflow.ts'
