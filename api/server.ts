import { loadConfig } from '../activities/config/config.ts'
import { checkStart } from '../activities/container.ts'
import { authenticateOperator } from './auth/operator.ts'
import { execute } from './calls/execute.ts'
import { createApi } from './compose.ts'
import { answerUnreadable } from './http/answer-unreadable.ts'
import { createApp } from './http/express.ts'
import { listen } from './http/listen.ts'
import { createLog } from './http/log.ts'
import { createMetrics } from './http/metrics.ts'
import { createPages } from './http/pages/pages.ts'
import { operations } from './operations/index.ts'

const DRAIN_MS = 15_000

const config = loadConfig()
const log = createLog(config.LOG_LEVEL)
await checkStart(config, log)
const { deps, pauses, gauges, close } = await createApi(config, log)
const surface = {
  registry: operations,
  baseUrl: config.BASE_URL,
  trustProxy: config.TRUST_PROXY,
  log,
  metrics: createMetrics(gauges),
  call: (operations, request) => execute(operations, request, deps),
  isOperator: (authorization) =>
    authenticateOperator(authorization, deps.operators).then(
      () => true,
      () => false,
    ),
} satisfies Omit<Parameters<typeof createApp>[0], 'host'>

const pages = createPages({
  registry: operations,
  baseUrl: config.BASE_URL,
  osUrl: config.OS_URL,
  temporalUiUrl: config.TEMPORAL_UI_URL,
  environment: config.ENVIRONMENT,
  pauses,
})

const unreadable = answerUnreadable(config.BASE_URL)
const listeners = await Promise.all([
  listen(
    createApp({ ...surface, host: 'base', pages }),
    config.BIND_HOST,
    config.BASE_PORT,
    unreadable,
  ),
  listen(createApp({ ...surface, host: 'os' }), config.BIND_HOST, config.OS_PORT, unreadable),
])
log.info({ base: config.BASE_URL, os: config.OS_URL }, 'listening')

let stopping = false
const stop = async (signal: string): Promise<void> => {
  if (stopping) return
  stopping = true
  log.info({ signal }, 'draining')
  await Promise.all(listeners.map((listener) => listener.stop(DRAIN_MS)))
  await close()
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
