import { startFiring } from '../../../temporal/workflow-schedules.ts'
import type { Adapters } from '../../adapters.ts'
import type { AuthorityServices } from '../authority/open.ts'
import type { CreditServices } from '../credit/open.ts'
import type { InputServices } from '../inputs/open.ts'
import { ActivationPaths } from './activation-paths.ts'
import { CustomerRunService } from './customer-runs.ts'
import { FirstPaidRunService } from './first-paid-runs.ts'
import { ActivationService } from './provider-activation.ts'
import { CustomerWorkflowService } from './workflows.ts'

/** Production: the activations of customers, their paid runs and their scheduled workflows. */
export function openProduction(
  adapters: Adapters,
  used: AuthorityServices & CreditServices & InputServices,
) {
  const { writeGate: gate, quotes, payments, credit, uploadChecks } = used
  const { db, client } = adapters
  const deps = { ...adapters, gate, quotes, payments, credit, uploadChecks }
  return {
    activations: new ActivationService(db),
    activationPaths: new ActivationPaths(deps),
    firstPaidRuns: new FirstPaidRunService(deps),
    customerRuns: new CustomerRunService(deps),
    customerWorkflows: new CustomerWorkflowService({
      ...deps,
      fire: (workflow, name) => startFiring(client, workflow, name),
    }),
  }
}
