import { Router } from 'express'
import { loadConfig } from '../activities/config/config.ts'
import { orExit } from '../activities/config/or-exit.ts'
import { checkStart, leaveNewerSchema } from '../activities/container.ts'
import { authenticateOperator } from './auth/operator.ts'
import { execute } from './calls/execute.ts'
import { reachOf } from './client-address.ts'
import { createApi } from './compose.ts'
import { createApp } from './express.ts'
import { createConsole } from './http/console/console.ts'
import { signInOf } from './http/console/sign-in.ts'
import { listen, listenOptions } from './http/listen.ts'
import { createLog } from './http/log.ts'
import { createLogRoutes } from './http/log-routes.ts'
import { createMetrics } from './http/metrics.ts'
import { createPages } from './http/pages/pages.ts'
import { createReference } from './http/pages/reference/routes.ts'
import { oauthOf } from './mcp/oauth.ts'
import { operations } from './operations/index.ts'

const DRAIN_MS = 15_000
const config = await orExit(loadConfig)
const log = createLog(config.LOG_LEVEL)
await orExit(() => checkStart(config, log))
const { deps, pauses, gauges, close } = await createApi(config, log)
const surface = {
  registry: operations,
  ...reachOf(config),
  explorerUrl: config.BLOCK_EXPLORER_URL,
  log,
  metrics: createMetrics(gauges),
  limits: deps.limits,
  oauth: oauthOf(config, deps),
  call: (operations, request) => execute(operations, request, deps),
  packageTexts: (made) => deps.services.runs.packageTexts(made),
  isOperator: (headers) =>
    authenticateOperator(headers, deps.operators).then(
      () => true,
      () => false,
    ),
} satisfies Omit<Parameters<typeof createApp>[0], 'host'>

const facts = {
  registry: operations,
  baseUrl: config.BASE_URL,
  osUrl: config.OS_URL,
  temporalUiUrl: config.TEMPORAL_UI_URL,
  environment: config.ENVIRONMENT,
  rateLimits: deps.services.discovery.rateLimits(),
  pauses,
}
const pages = Router().use(createPages(facts), createReference(facts, 'base'))
const ended = new AbortController()
const operatorConsole = createConsole({
  changes: deps.changes,
  ended: ended.signal,
  assertOperator: async (headers, address) => {
    await deps.attempts.guard({ address }, () => authenticateOperator(headers, deps.operators))
  },
  signIn: signInOf(config, deps),
  attempts: deps.attempts,
})
const listening = listenOptions(config)
const serve = (host: 'base' | 'os', pages: Router, port: number) =>
  listen(createApp({ ...surface, host, pages }), config.BIND_HOST, port, listening)
const listeners = await Promise.all([
  serve('base', pages.use(createLogRoutes(deps), operatorConsole), config.BASE_PORT),
  serve('os', createReference(facts, 'os'), config.OS_PORT),
])
log.info({ base: config.BASE_URL, os: config.OS_URL }, 'listening')

const stop = async (signal: string): Promise<void> => {
  if (ended.signal.aborted) return
  log.info({ signal }, 'draining')
  ended.abort()
  await Promise.all(listeners.map((listener) => listener.stop(DRAIN_MS)))
  await close()
}
leaveNewerSchema(deps.db, log)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
