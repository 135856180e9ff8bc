import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { DestinationStream } from 'pino'
import type { ReturnPackage } from '#domain/runs/return-package.ts'
import { type Config, loadConfig } from '../../activities/config/config.ts'
import { writeSecret } from '../../activities/config/secret-file.ts'
import { generateSigningKeys, generateTokenKeys } from '../../activities/keys/generate.ts'
import { createOperator } from '../../activities/store/operators/operators.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { authenticateOperator } from '../../api/auth/operator.ts'
import { execute } from '../../api/calls/execute.ts'
import { reachOf } from '../../api/client-address.ts'
import { createApi } from '../../api/compose.ts'
import type { CallRequest } from '../../api/context.ts'
import { createApp, type Surface } from '../../api/express.ts'
import { type Listener, listen } from '../../api/http/listen.ts'
import { createLog } from '../../api/http/log.ts'
import { createLogRoutes } from '../../api/http/log-routes.ts'
import { createMetrics } from '../../api/http/metrics.ts'
import { oauthOf } from '../../api/mcp/oauth.ts'
import type { AnyOperation } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { handledCalls, offendersOf, watchWrites } from './deciding-writes.ts'
import { keepSequencing } from './log.ts'
import { scratchDirectory, startDatabase, urlAs } from './postgres.ts'
import { unhurried } from './settings.ts'

/** API processes in all but name: each with its own pool and both hosts, over one Postgres, without Temporal and a chain. */
export type ComposedApis = {
  /** One entry for each process. */
  hosts: { base: string; os: string }[]
  config: Config
  /** The settings as a program of its own reads them; it connects as the owner of the database, and the APIs by their role. */
  env: Record<string, string>
  db: Kysely<Database>
  operator: string
  /** Every line that any of them logged. */
  logged(): string
  stop(): Promise<void>
}

type Options = {
  apis?: number
  env?: Record<string, string>
  more?: readonly AnyOperation[]
  /** Whether receipts get their place in the log, as with a worker; true unless said otherwise. */
  sequences?: boolean
}

/** Starts a Postgres and so many APIs on it; `more` are operations in addition to those of the service. */
export async function startComposed({
  apis = 1,
  env = {},
  more = [],
  sequences = true,
}: Options = {}): Promise<ComposedApis> {
  watchWrites([...operations, ...more])
  const directory = await scratchDirectory()
  const database = await startDatabase()
  const [unused] = await findFree(1)
  const keys = join(directory, 'keys.json')
  const tokenKeys = join(directory, 'token-keys.json')
  writeSecret(keys, generateSigningKeys(new Date()))
  writeSecret(tokenKeys, generateTokenKeys())
  const { db } = database
  const { credential: operator } = await createOperator(db, 'Ada')
  const settings = {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: `127.0.0.1:${unused}`,
    CHAIN_RPC_URL: `http://127.0.0.1:${unused}`,
    SIGNING_KEYS_FILE: keys,
    TOKEN_KEYS_FILE: tokenKeys,
    ASSET_CONTRACT_ADDRESS: `0x${'a1'.repeat(20)}`,
    PAYOUT_WALLET_ADDRESS: `0x${'a2'.repeat(20)}`,
    PAY_TO_ADDRESS: `0x${'a3'.repeat(20)}`,
    TREASURY_PRINCIPAL_ADDRESS: `0x${'a4'.repeat(20)}`,
    TREASURY_HOLDER_ADDRESS: `0x${'c3'.repeat(20)}`,
    ...unhurried,
    ...env,
  }
  const config = loadConfig({ ...settings, DATABASE_URL: urlAs('api', database.url) })
  const lines: string[] = []
  const log = createLog('info', {
    write: (line: string) => void lines.push(line),
  } satisfies DestinationStream)
  const opened = await Promise.all(
    Array.from({ length: apis }, (_, index) =>
      openApi(config, log, more, index === 0 && 'BASE_URL' in env),
    ),
  )
  const stopSequencing = sequences ? keepSequencing(config, db) : undefined
  return {
    hosts: opened.map(({ hosts }) => hosts),
    config,
    env: settings,
    db,
    operator,
    logged: () => lines.join(''),
    stop: async () => {
      await stopSequencing?.()
      await Promise.all(opened.map((api) => api.stop()))
      await database.stop()
      await rm(directory, { recursive: true, force: true })
      const offenders = offendersOf(handledCalls())
      if (offenders.length > 0)
        throw new Error(`handlers with two deciding writes: ${offenders.join('\n')}`)
    },
  }
}

const portOf = {
  base: ({ BASE_URL }: Config) => Number(new URL(BASE_URL).port),
  os: ({ OS_URL }: Config) => Number(new URL(OS_URL).port),
}

/** `named`: it listens where the configuration says that the service is reached. */
async function openApi(
  config: Config,
  log: ReturnType<typeof createLog>,
  more: readonly AnyOperation[],
  named: boolean,
) {
  const api = await createApi(config, log)
  const surface = {
    registry: [...operations, ...more],
    ...reachOf(config),
    isOperator: (headers: CallRequest['headers']) =>
      authenticateOperator(headers, api.deps.operators).then(
        () => true,
        () => false,
      ),
    log,
    metrics: createMetrics(api.gauges),
    limits: api.deps.limits,
    packageTexts: (made: ReturnPackage) => api.deps.services.runs.packageTexts(made),
    oauth: oauthOf(config, api.deps),
    call: ((operations, request) => execute(operations, request, api.deps)) as Surface['call'],
  }
  const pages = createLogRoutes(api.deps)
  const listeners: Listener[] = []
  for (const host of ['base', 'os'] as const)
    listeners.push(
      await listen(
        createApp({ ...surface, host, pages }),
        '127.0.0.1',
        named ? portOf[host](config) : 0,
      ),
    )
  const [base, os] = listeners.map(({ port }) => `http://127.0.0.1:${port}`) as [string, string]
  return {
    hosts: { base, os },
    stop: async () => {
      await Promise.all(listeners.map((listener) => listener.stop(0)))
      await api.close()
    },
  }
}
