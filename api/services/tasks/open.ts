import { REPLAY_TYP } from '#domain/receipts/dated-back.ts'
import { signerOf } from '../../../activities/container.ts'
import type { Adapters } from '../../adapters.ts'
import type { AuthorityServices } from '../authority/open.ts'
import type { CreditServices } from '../credit/open.ts'
import type { InputServices } from '../inputs/open.ts'
import { ContractService } from './contracts.ts'
import { RecoveryService } from './recoveries.ts'
import { TaskService } from './tasks.ts'

/** Tasks, their contracts and their recoveries. */
export function openTasks(
  adapters: Adapters,
  { writeGate: gate, payments, uploadChecks }: AuthorityServices & CreditServices & InputServices,
) {
  const deps = { ...adapters, gate, payments, uploadChecks }
  return {
    tasks: new TaskService(deps),
    taskContracts: new ContractService(deps),
    recoveries: new RecoveryService({ ...deps, signReplay: signerOf(adapters.keys, REPLAY_TYP) }),
  }
}
