import { REPLAY_TYP } from '#domain/receipts/dated-back.ts'
import type { Config } from '../../activities/config/config.ts'
import { signerOf } from '../../activities/container.ts'
import type { DerivedTokens } from '../../activities/keys/derived-tokens.ts'
import type { KeyRings } from '../../activities/keys/key-ring.ts'
import type { RailPool } from '../../activities/runs/isolation/rail-pool.ts'
import type { PackageThreads } from '../../activities/runs/package-threads.ts'
import type { Changes } from '../../activities/store/postgres/changes.ts'
import type { TaskDeps } from '../../activities/tasks/deps.ts'
import type { TaskGateway } from '../../temporal/tasks.ts'
import { startFiring } from '../../temporal/workflow-schedules.ts'
import type { WriteGate } from './authority/write-gate.ts'
import type { CreditService } from './credit/credit.ts'
import type { PaymentService } from './credit/payments.ts'
import type { ProductLinkService } from './credit/product-links.ts'
import type { QuoteService } from './credit/quotes.ts'
import type { UploadChecks } from './inputs/upload-checks.ts'
import { ControlledPilotService } from './pilots/controlled-pilots.ts'
import { PilotRunService } from './pilots/runs.ts'
import { ActivationPaths } from './production/activation-paths.ts'
import { CustomerRunService } from './production/customer-runs.ts'
import { FirstPaidRunService } from './production/first-paid-runs.ts'
import { CustomerWorkflowService } from './production/workflows.ts'
import type { Samples } from './receipts/sample.ts'
import { ClearingService } from './runs/clearings.ts'
import { LoopService } from './runs/loops.ts'
import { ManifestService } from './runs/manifests.ts'
import { ProductLoopService } from './runs/product-loops.ts'
import { RunService } from './runs/runs.ts'
import { SamplePackages } from './runs/sample-packages.ts'
import { SandboxService } from './runs/sandbox.ts'
import { RunStartService } from './runs/start.ts'
import { ContractService } from './tasks/contracts.ts'
import { RecoveryService } from './tasks/recoveries.ts'
import { TaskService } from './tasks/tasks.ts'
import { DeliveryChecks } from './work-orders/delivery-checks.ts'
import { ExchangeService } from './work-orders/exchange.ts'
import { WalletRunService } from './work-orders/wallet-runs.ts'
import { WorkOrderService } from './work-orders/work-orders.ts'

type Adapters = {
  config: Pick<Config, 'BASE_URL' | 'OS_URL' | 'SETTLE_WAIT_MS' | 'EXCHANGE_CLAIM_MS'>
  keys: KeyRings
  tokens: DerivedTokens
  changes: Changes
  packages: PackageThreads
  uploadChecks: UploadChecks
  publicPool: Pick<RailPool, 'run' | 'queue'>
  samples: Samples
  taskDeps: TaskDeps
  taskGateway: TaskGateway
  gate: WriteGate
  client: Parameters<typeof startFiring>[0]
}
type CreditServices = {
  quotes: QuoteService
  payments: PaymentService
  credit: CreditService
  productLinks: ProductLinkService
}

/** The services of tasks, of their runs and of the orders behind them. */
export function openTaskServices(
  adapters: Adapters,
  { quotes, payments, credit, productLinks }: CreditServices,
) {
  const { config, keys, tokens, changes, packages, taskDeps, taskGateway: gateway } = adapters
  const { uploadChecks, publicPool, gate, client, samples } = adapters
  const urls = { baseUrl: config.BASE_URL, osUrl: config.OS_URL }
  const money = { quotes, payments, credit }
  const settleWaitMs = config.SETTLE_WAIT_MS
  const runDeps = { ...taskDeps, ...urls, ...money, gateway, uploadChecks, tokens, changes, gate }
  const runStarts = new RunStartService({ ...runDeps, settleWaitMs })
  const samplePackages = new SamplePackages({
    ...taskDeps,
    baseUrl: config.BASE_URL,
    pool: publicPool,
    samples,
  })
  const loops = new LoopService({ ...runDeps, starts: runStarts })
  return {
    tasks: new TaskService(runDeps),
    taskContracts: new ContractService(runDeps),
    recoveries: new RecoveryService({ ...runDeps, signReplay: signerOf(keys, REPLAY_TYP) }),
    runs: new RunService({ ...runDeps, packages }),
    samplePackages,
    clearings: new ClearingService({ ...runDeps, packages, samples, samplePackages }),
    runStarts,
    loops,
    productLoops: new ProductLoopService({ ...runDeps, loops, productLinks }),
    manifests: new ManifestService({ ...runDeps, pool: publicPool }),
    firstPaidRuns: new FirstPaidRunService({ ...runDeps, settleWaitMs }),
    pilotRuns: new PilotRunService({ ...runDeps, settleWaitMs }),
    controlledPilots: new ControlledPilotService({ ...runDeps, settleWaitMs }),
    customerRuns: new CustomerRunService({ ...runDeps, settleWaitMs }),
    activationPaths: new ActivationPaths(runDeps),
    sandbox: new SandboxService(runDeps),
    workOrders: new WorkOrderService(runDeps),
    customerWorkflows: new CustomerWorkflowService({
      ...runDeps,
      fire: (workflow, name) => startFiring(client, workflow, name),
    }),
    exchange: new ExchangeService({
      ...runDeps,
      deliveries: new DeliveryChecks({ db: taskDeps.db, pool: publicPool }),
      claimMs: config.EXCHANGE_CLAIM_MS,
    }),
    walletRuns: new WalletRunService({ ...runDeps, keys }),
  }
}

export type TaskServices = ReturnType<typeof openTaskServices>
