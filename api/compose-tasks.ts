import { taskDepsOf } from '../activities/build-deps.ts'
import type { Config } from '../activities/config.ts'
import { deriveTokens } from '../activities/keys/derived-tokens.ts'
import { type KeyRings, loadTokenKey } from '../activities/keys/key-ring.ts'
import { openTaskDesk, type TaskDesk } from '../temporal/task-desk.ts'
import { createTaskGateway } from '../temporal/tasks.ts'
import type { UpdateDeps } from '../temporal/updates.ts'

type TaskSettings = Pick<UpdateDeps, 'db' | 'client' | 'changes'> & { config: Config; keys: KeyRings }

/** Wires what agents and operators do with tasks. */
export function openTasks({ config, keys, ...temporal }: TaskSettings): TaskDesk {
  return openTaskDesk({
    ...taskDepsOf(config, keys, temporal.db),
    gateway: createTaskGateway({ ...temporal, config }),
    tokens: deriveTokens(loadTokenKey(config.SIGNING_KEYS_FILE)),
    osUrl: config.OS_URL,
  })
}
