import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { writeSecret } from '../../activities/config/secret-file.ts'
import { type Client, createClient } from '../../api/http/client.ts'
import { type AccountsFile, bringUp, type EmbeddedStack } from '../../worker/stack/embedded.ts'
import { urlOf } from '../../worker/stack/environment.ts'
import { layoutOf } from '../../worker/stack/layout.ts'
import type { Part } from '../../worker/stack/part.ts'
import { freePorts, type Ports } from '../../worker/stack/ports.ts'
import { apiPart } from '../../worker/stack/programs.ts'
import {
  beginWith,
  postgresPassword,
  scratchDirectory,
  sharedPostgres,
  withoutSync,
} from './postgres.ts'
import { unhurried } from './settings.ts'
import { startReady } from './temporal.ts'
import { testCache } from './test-cache.ts'

/**
 * How many processes, and settings of activities/config/config.ts for all of them. `chainThrough` gets the chain's RPC url and answers
 * the one that API and worker processes use instead.
 */
export type StackOptions = {
  apis?: number
  workers?: number
  runWorkers?: number
  env?: Record<string, string>
  /** Changes how a part is run before it is started. */
  prepare?: (part: Part) => void
  ports?: Ports
  chainThrough?: (rpcUrl: string) => Promise<string>
}

/** Settings of one process, which may depend on its own base URL. */
type OwnSettings = Record<string, string> | ((baseUrl: string) => Record<string, string>)

/**
 * A whole stack of its own. Each part has `kill(signal)` (SIGKILL also waits for the end), `start()` and `waitReady()`; nothing restarts it.
 * All API processes speak for `env.BASE_URL`, which is `baseUrls[0]`: a wallet proof names that origin whichever process it is sent to.
 */
export type TestStack = {
  baseUrls: string[]
  osUrls: string[]
  databaseUrl: string
  rpcUrl: string
  temporalAddress: string
  accounts: AccountsFile
  env: NodeJS.ProcessEnv
  dataDirectory: string
  /** Starts one more API process with other settings, and returns its index in `baseUrls`. */
  startApi(env: OwnSettings): Promise<number>
  api(index?: number): Part
  worker(index?: number): Part
  runWorker(index?: number): Part
  cage: Part
  postgres: Part
  temporal: Part
  chain: Part
  signer: Part
  logs(): Record<string, string>
  stop(): Promise<void>
}

/**
 * Years between two scheduled reconciliations: a test triggers its own. One at the full hour would pause the payouts of a test that
 * spends with the payout wallet's key.
 */
export const unscheduled = { RECONCILE_EVERY_MS: String(1000 * 86_400_000) }

/**
 * Starts the embedded stack from `dist/` on free ports and a new data directory; `stop` leaves neither a process nor a file. In a run
 * of Vitest its database has been migrated before: test/worker/stack starts stacks with nothing.
 */
export async function startStack(options: StackOptions = {}): Promise<TestStack> {
  const dataDirectory = await scratchDirectory()
  const ports = options.ports ?? (await freePorts())
  const moreApis = await Promise.all(Array.from({ length: (options.apis ?? 1) - 1 }, freePorts))
  const parts: Part[] = []
  const stop = () => stopAll(parts, dataDirectory)
  const wire = await options.chainThrough?.(urlOf(ports.rpc))
  const layout = layoutOf(dataDirectory)
  const migrated = await sharedPostgres()
  if (migrated !== undefined) writeSecret(layout.postgresPassword, postgresPassword)
  const start = async (part: Part) => {
    parts.push(part)
    if (part.name === 'postgres') {
      withoutSync(part)
      if (migrated !== undefined) beginWith(part, migrated.files, layout.postgres)
    }
    options.prepare?.(part)
    if (wire !== undefined && isProgram(part)) reroute(part, wire)
    await startReady(part)
  }
  try {
    const stack = await bringUp({
      dataDirectory,
      ports,
      moreApis,
      workers: options.workers ?? 1,
      runWorkers: options.runWorkers ?? 1,
      inherited: {
        ...process.env,
        LOG_LEVEL: 'warn',
        ...unhurried,
        ...unscheduled,
        ...options.env,
      },
      path: process.env['PATH'] ?? '',
      cacheHome: process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
      tokenCache: testCache,
      say: () => undefined,
      start,
    })
    return describe(stack, { dataDirectory, apiPorts: [ports, ...moreApis], parts, start, stop })
  } catch (error) {
    await stop()
    throw error
  }
}

/** A client with the operator's credential. */
export const operatorOf = ({ baseUrls, osUrls, accounts }: TestStack): Client =>
  createClient({
    baseUrl: baseUrls[0] as string,
    osUrl: osUrls[0] as string,
    operator: accounts.operator.credential,
  })

type StartedStack = {
  dataDirectory: string
  apiPorts: { base: number; os: number }[]
  parts: Part[]
  start: (part: Part) => Promise<void>
  stop: () => Promise<void>
}

function describe(
  stack: EmbeddedStack,
  { dataDirectory, apiPorts, parts, start, stop }: StartedStack,
): TestStack {
  const { databaseUrl, accounts, env, postgres, temporal, chain, signer, ports } = stack
  const baseUrls = apiPorts.map(({ base }) => urlOf(base))
  return {
    baseUrls,
    osUrls: apiPorts.map(({ os }) => urlOf(os)),
    databaseUrl,
    rpcUrl: urlOf(ports.rpc),
    temporalAddress: `127.0.0.1:${ports.temporal}`,
    accounts,
    env,
    dataDirectory,
    startApi: async (more) => {
      const part = await anotherApi(stack, more)
      await start(part.api)
      stack.apis.push(part.api)
      return baseUrls.push(part.baseUrl) - 1
    },
    api: (index = 0) => partAt(stack.apis, index),
    worker: (index = 0) => partAt(stack.workers, index),
    runWorker: (index = 0) => partAt(stack.runWorkers, index),
    cage: stack.cage,
    postgres,
    temporal,
    chain,
    signer,
    logs: () => Object.fromEntries(parts.map((part) => [part.name, part.logs()])),
    stop,
  }
}

/** An API process with the settings of the first one, except for these. */
async function anotherApi({ apis, layout }: EmbeddedStack, more: OwnSettings) {
  const { base, os } = await freePorts()
  const settings = typeof more === 'function' ? more(urlOf(base)) : more
  const name = `api-${apis.length + 1}`
  const { env } = await partAt(apis, 0).plan.launch()
  const own = { ...env, BASE_PORT: String(base), OS_PORT: String(os), ...settings }
  const baseUrl = urlOf(base)
  return { baseUrl, api: apiPart({ name, logFile: layout.log(name), env: own }, baseUrl) }
}

function partAt(parts: Part[], index: number): Part {
  const part = parts[index]
  if (part === undefined) throw new Error(`there are ${parts.length} of these, none at ${index}`)
  return part
}

export const isProgram = (part: Part) => /^(api|worker)/.test(part.name)

/** The stack decides CHAIN_RPC_URL for its programs, so it is replaced where they are launched. */
function reroute({ plan }: Part, rpcUrl: string): void {
  const { launch } = plan
  plan.launch = async () => {
    const launched = await launch()
    return { ...launched, env: { ...launched.env, CHAIN_RPC_URL: rpcUrl } }
  }
}

/** Programs first, since they wait for their servers while they drain. */
async function stopAll(parts: Part[], dataDirectory: string): Promise<void> {
  await Promise.all(parts.filter(isProgram).map((part) => part.stop()))
  await Promise.all(parts.filter((part) => !isProgram(part)).map((part) => part.stop()))
  await rm(dataDirectory, { recursive: true, force: true })
}
