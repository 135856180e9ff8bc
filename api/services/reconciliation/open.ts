import { watchWorkflows } from '../../../temporal/reconciliation.ts'
import type { Adapters } from '../../adapters.ts'
import { ReconciliationService } from './reconciliation.ts'

/** Statements and exceptions. */
export const openReconciliation = (adapters: Adapters) => ({
  reconciliation: new ReconciliationService({
    ...adapters,
    show: watchWorkflows(adapters.client).show,
  }),
})
