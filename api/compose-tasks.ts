import { claimsSigner, taskDepsOf } from '../activities/build-deps.ts'
import type { Config } from '../activities/config.ts'
import { deriveTokens } from '../activities/keys/derived-tokens.ts'
import { type KeyRings, loadTokenKey } from '../activities/keys/key-ring.ts'
import type { ReviewDeps } from '../activities/reviews/desk.ts'
import { loopStepSubject } from '../activities/reviews/loop-step.ts'
import { recoverySubject } from '../activities/reviews/recovery.ts'
import { taskSubject } from '../activities/reviews/task.ts'
import { openRunDesk, type RunDesk } from '../temporal/run-desk.ts'
import { openTaskDesk, type TaskDesk } from '../temporal/task-desk.ts'
import { createTaskGateway } from '../temporal/tasks.ts'
import type { UpdateDeps } from '../temporal/updates.ts'
import { REPLAY_TYP } from '../workflows/domain/replay-package.ts'

type TaskSettings = Pick<UpdateDeps, 'db' | 'client' | 'changes'> & { config: Config; keys: KeyRings }

type TaskDesks = { acts: { tasks: TaskDesk; runs: RunDesk }; reviewing: Pick<ReviewDeps, 'subjects' | 'wakeTask'> }

/** Wires what agents and operators do with tasks, and what operators decide about them. */
export function openTasks({ config, keys, ...temporal }: TaskSettings): TaskDesks {
  const deps = taskDepsOf(config, keys, temporal.db)
  const gateway = createTaskGateway({ ...temporal, config })
  const tokens = deriveTokens(loadTokenKey(config.SIGNING_KEYS_FILE))
  const subjects = [taskSubject(deps), loopStepSubject, recoverySubject(deps)]
  const { OS_URL: osUrl, BASE_URL: baseUrl } = config
  const desk = { ...deps, signReplay: claimsSigner(keys, REPLAY_TYP), gateway, tokens, osUrl }
  return {
    acts: { tasks: openTaskDesk(desk), runs: openRunDesk({ ...desk, baseUrl, changes: temporal.changes }) },
    reviewing: { subjects, wakeTask: gateway.wake },
  }
}
