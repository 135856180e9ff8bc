import { REPLAY_TYP } from '#domain/runs/replay-package.ts'
import { signerOf, taskDepsOf } from '../../activities/container.ts'
import { deriveTokens } from '../../activities/keys/derived-tokens.ts'
import { loadTokenKeys } from '../../activities/keys/key-ring.ts'
import { openPackageChecks } from '../../activities/run/package-checks.ts'
import { findKnownSecret } from '../../activities/store/calls/known-secrets.ts'
import { createTaskGateway, notifyTask } from '../../temporal/tasks.ts'
import type { UpdateDeps } from '../../temporal/updates.ts'
import type { Context } from '../context.ts'
import { ActivationService } from '../services/credit/activation.ts'
import { loopStepSubject } from '../services/reviews/loop-step.ts'
import { recoverySubject } from '../services/reviews/recovery.ts'
import type { ReviewDeps } from '../services/reviews/reviews.ts'
import { taskSubject } from '../services/reviews/task.ts'
import { workOrderSubject } from '../services/reviews/work-order.ts'
import { RunService } from '../services/runs/runs.ts'
import { RunStartService } from '../services/runs/start.ts'
import { ContractService } from '../services/tasks/contracts.ts'
import { RecoveryService } from '../services/tasks/recoveries.ts'
import { TaskService } from '../services/tasks/tasks.ts'
import { WalletRunService } from '../services/work-orders/wallet-runs.ts'
import { WorkOrderService } from '../services/work-orders/work-orders.ts'
import { type MoneySettings, openCreditServices } from './credit.ts'

type TaskSettings = Omit<MoneySettings, 'advanceTask' | 'notifyTask' | 'tokens'> &
  Pick<UpdateDeps, 'client' | 'changes'>
type CreditServices = Awaited<ReturnType<typeof openCreditServices>>
type TaskServices = Pick<CreditServices, 'paying'> & {
  services: CreditServices['services'] &
    Pick<
      Context,
      | 'tasks'
      | 'taskContracts'
      | 'recoveries'
      | 'runs'
      | 'runStarts'
      | 'activations'
      | 'workOrders'
      | 'walletRuns'
    >
  reviewing: Pick<ReviewDeps, 'subjects' | 'wakeTask'>
  close(): Promise<void>
}

/** Wires what agents and operators do with tasks and their money, and what operators decide about tasks. */
export async function openTasks({ changes, ...settings }: TaskSettings): Promise<TaskServices> {
  const { config, keys, db, client } = settings
  const tokens = deriveTokens(loadTokenKeys(config.SIGNING_KEYS_FILE), (kind, sha256s) =>
    findKnownSecret(db, kind, sha256s),
  )
  const gateway = createTaskGateway({ db, client, changes, config })
  const { services, paying } = await openCreditServices({
    ...settings,
    advanceTask: gateway.advance,
    notifyTask: (taskId: string) => notifyTask({ client, db }, taskId),
    tokens,
  })
  const deps = taskDepsOf(config, keys, db)
  const { OS_URL: osUrl, BASE_URL: baseUrl } = config
  const { quotes, payments, credit } = services
  const packages = openPackageChecks()
  const runDeps = { ...deps, gateway, quotes, payments, credit, tokens, osUrl, baseUrl, changes }
  const subjects = [
    taskSubject(deps),
    loopStepSubject,
    recoverySubject(deps),
    workOrderSubject(deps),
  ]
  return {
    services: {
      ...services,
      tasks: new TaskService({ db, callbackHosts: deps.callbackHosts, gateway, tokens, osUrl }),
      taskContracts: new ContractService({ ...deps, gateway, payments }),
      recoveries: new RecoveryService({
        ...deps,
        gateway,
        signReplay: signerOf(keys, REPLAY_TYP),
      }),
      runs: new RunService({ ...runDeps, packages }),
      runStarts: new RunStartService({ ...runDeps, settleWaitMs: config.SETTLE_WAIT_MS }),
      activations: new ActivationService(db),
      workOrders: new WorkOrderService(runDeps),
      walletRuns: new WalletRunService(runDeps),
    },
    paying,
    reviewing: { subjects, wakeTask: gateway.wake },
    close: packages.close,
  }
}
