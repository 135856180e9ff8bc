export { callback } from './callback/workflow.ts'
export { payment } from './payment/workflow.ts'
export { payout } from './payout/workflow.ts'
export { reconcile } from './reconciliation/workflow.ts'
