import { signerOf, taskDepsOf } from '../activities/build-deps.ts'
import { deriveTokens } from '../activities/keys/derived-tokens.ts'
import { loadTokenKeys } from '../activities/keys/key-ring.ts'
import type { ReviewDeps } from '../activities/reviews/desk.ts'
import { loopStepSubject } from '../activities/reviews/loop-step.ts'
import { recoverySubject } from '../activities/reviews/recovery.ts'
import { taskSubject } from '../activities/reviews/task.ts'
import { workOrderSubject } from '../activities/reviews/work-order.ts'
import { openPackageChecks } from '../activities/runs/package-checks.ts'
import { findKnownSecret } from '../activities/store/known-secrets.ts'
import { openRunDesk } from '../temporal/run-desk.ts'
import { openTaskDesk } from '../temporal/task-desk.ts'
import { createTaskGateway, tellTask } from '../temporal/tasks.ts'
import type { UpdateDeps } from '../temporal/updates.ts'
import { openWalletRuns } from '../temporal/wallet-runs.ts'
import { openWorkOrders } from '../temporal/work-orders.ts'
import { REPLAY_TYP } from '../workflows/domain/replay-package.ts'
import { type MoneySettings, openMoneyDesks } from './compose-money.ts'
import type { Context } from './context.ts'

type TaskSettings = Omit<MoneySettings, 'advanceTask' | 'tellTask' | 'tokens'> & Pick<UpdateDeps, 'client' | 'changes'>
type MoneyDesks = Awaited<ReturnType<typeof openMoneyDesks>>
type TaskDesks = Pick<MoneyDesks, 'paying'> & {
  desks: MoneyDesks['desks'] & Pick<Context, 'tasks' | 'runs' | 'workOrders' | 'walletRuns'>
  reviewing: Pick<ReviewDeps, 'subjects' | 'wakeTask'>
  close(): Promise<void>
}

/** Wires what agents and operators do with tasks and their money, and what operators decide about tasks. */
export async function openTasks({ changes, ...settings }: TaskSettings): Promise<TaskDesks> {
  const { config, keys, db, client } = settings
  const tokens = deriveTokens(loadTokenKeys(config.SIGNING_KEYS_FILE), (kind, sha256s) =>
    findKnownSecret(db, kind, sha256s),
  )
  const gateway = createTaskGateway({ db, client, changes, config })
  const telling = { advanceTask: gateway.advance, tellTask: (taskId: string) => tellTask({ client, db }, taskId) }
  const { desks, paying } = await openMoneyDesks({ ...settings, ...telling, tokens })
  const deps = taskDepsOf(config, keys, db)
  const { OS_URL: osUrl, BASE_URL: baseUrl } = config
  const desk = { ...deps, signReplay: signerOf(keys, REPLAY_TYP), gateway, money: desks.money, tokens, osUrl }
  const packages = openPackageChecks()
  const runDesk = { ...desk, packages, baseUrl, changes, settleWaitMs: config.SETTLE_WAIT_MS }
  const subjects = [taskSubject(deps), loopStepSubject, recoverySubject(deps), workOrderSubject(deps)]
  return {
    desks: {
      ...desks,
      tasks: openTaskDesk(desk),
      runs: openRunDesk(runDesk),
      workOrders: openWorkOrders(runDesk),
      walletRuns: openWalletRuns(runDesk),
    },
    paying,
    reviewing: { subjects, wakeTask: gateway.wake },
    close: packages.close,
  }
}
