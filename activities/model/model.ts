import type { Logger } from 'pino'
import type { ModelSteps } from '../../workflows/runs/activities.ts'
import { callbackHosts } from '../callbacks/hosts.ts'
import type { Config } from '../config/config.ts'
import { readModelKey } from '../config/model-settings.ts'
import { createOutgoing } from '../http/outgoing.ts'
import type { Tx } from '../store/postgres/db.ts'
import { callModel, type ModelDeps } from './call-model.ts'

/** The calls of the model as activities: what they return stands in no history. */
export function createModelSteps(deps: ModelDeps): ModelSteps {
  return {
    callModel: async ({ subject, promptSha256 }) => {
      await callModel(deps, subject, promptSha256)
    },
  }
}

/** The configured model behind the rules of outgoing requests; its key is read once. */
export function openModel(config: Config, db: Tx, log: Logger): ModelDeps {
  const { MODEL_URL: url, MODEL_NAME: name } = config
  const budget = {
    perDay: config.MODEL_TOKENS_PER_DAY,
    perSubject: config.MODEL_TOKENS_PER_RUN,
    analysesPerDay: config.MODEL_TOKENS_OF_ANALYSES_PER_DAY,
    anonymousPerDay: config.MODEL_TOKENS_OF_ANONYMOUS_PER_DAY,
  }
  if (url === '') return { db, log, endpoint: undefined, budget }
  const send = createOutgoing({
    ownHosts: callbackHosts(config).ownHosts,
    exempt: config.MODEL_PRIVATE_ADDRESS === 'allowed' ? [new URL(url).origin] : [],
    timeoutMs: config.MODEL_TIMEOUT_MS,
  })
  const key = readModelKey(config.MODEL_API_KEY_FILE)
  return { db, log, endpoint: { url, name, key, send }, budget }
}
