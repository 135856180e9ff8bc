import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { keepSecret, readSecret, writeSecret } from '../../activities/config/secret-file.ts'
import { roleUrl } from '../../activities/store/postgres/create-roles.ts'
import { keepKeys } from '../files/signing-keys.ts'
import {
  type DemoAccounts,
  newDemoAccounts,
  type ServiceAccounts,
  serviceAccounts,
} from './accounts.ts'
import { chainPart } from './chain.ts'
import { makeRoles } from './database-roles.ts'
import {
  apiSettings,
  cageSettings,
  type EnvironmentFacts,
  runWorkerSettings,
  signerSettings,
  urlOf,
  workerSettings,
} from './environment.ts'
import { type Layout, layoutOf } from './layout.ts'
import { prepareLocalChain } from './local-chain.ts'
import { mayBeOlder, refuseOlderData, schemaMark } from './older-data.ts'
import type { Part } from './part.ts'
import type { Ports } from './ports.ts'
import { postgresPart, postgresUrl } from './postgres.ts'
import {
  apiPart,
  cagePart,
  createOperator,
  migrate,
  runWorkerPart,
  signerPart,
  workerPart,
} from './programs.ts'
import { temporalPart } from './temporal.ts'

/** What `accounts.json` holds: everything that the demo, or a person, needs to play agent, treasury and operator. */
export type AccountsFile = DemoAccounts & {
  rpc_url: string
  base_url: string
  operator: { credential: string }
}

/** How one embedded stack is brought up; `start` runs a part until it is ready and looks after it from then on. */
export type EmbeddedSettings = {
  dataDirectory: string
  ports: Ports
  /** Ports of further API processes, which all speak for the same base URL. */
  moreApis?: readonly { base: number; os: number }[]
  workers?: number
  /** Worker processes of the runs; one unless said otherwise. */
  runWorkers?: number
  inherited: NodeJS.ProcessEnv
  path: string
  cacheHome: string
  /** Where the compiled token is kept; in DATA_DIR unless said otherwise. */
  tokenCache?: string
  say: (text: string) => void
  start: (part: Part) => Promise<void>
}

/** A stack that is up. */
export type EmbeddedStack = {
  layout: Layout
  ports: Ports
  /** Of the owner of the tables; the processes have roles of their own. */
  databaseUrl: string
  accounts: AccountsFile
  /** Environment of the worker: with it, each of our programs can run next to the stack. */
  env: NodeJS.ProcessEnv
  postgres: Part
  temporal: Part
  chain: Part
  signer: Part
  cage: Part
  workers: Part[]
  runWorkers: Part[]
  apis: Part[]
}

/** Brings the whole stack up, side by side where nothing waits for another; a second time it finds all that the first made. */
export async function bringUp(settings: EmbeddedSettings): Promise<EmbeddedStack> {
  const layout = layoutOf(resolve(settings.dataDirectory))
  const known = readSecret<AccountsFile>(layout.accounts)
  const demo: DemoAccounts = known ?? newDemoAccounts()
  const infrastructure = await infrastructureParts(settings, layout)
  const { postgres, temporal, chain, databaseUrl } = infrastructure
  const checked = mayBeOlder(layout)
  if (checked) {
    await settings.start(postgres)
    await refuseOlderData(databaseUrl, layout.root)
  }
  const service = await makeKeys(layout)
  const rpcUrl = urlOf(settings.ports.rpc)
  const [asset] = await Promise.all([
    settings.start(chain).then(() =>
      prepareLocalChain({
        rpcUrl,
        addressFile: layout.token,
        cache: settings.tokenCache ?? layout.cache,
        service,
        demo,
        say: settings.say,
      }),
    ),
    checked ? undefined : settings.start(postgres),
    settings.start(temporal),
  ])
  const passwords = await makeRoles(databaseUrl, layout.rolePasswords)
  const facts: EnvironmentFacts = {
    ports: settings.ports,
    layout,
    databaseUrls: {
      api: roleUrl(databaseUrl, 'api', passwords),
      worker: roleUrl(databaseUrl, 'worker', passwords),
    },
    asset,
    service,
    treasury: demo.treasury,
  }
  writeSecret(layout.environment, workerSettings(facts))
  const env = { ...settings.inherited, ...workerSettings(facts) }
  const signer = signerPartOf(settings, facts)
  const cage = cagePartOf(settings, facts)
  await Promise.all([
    migrate({ ...env, DATABASE_URL: databaseUrl }),
    settings.start(signer),
    settings.start(cage),
  ])
  writeSecret(layout.schema, schemaMark)
  const workers = workerParts(settings, layout, env)
  const runWorkers = runWorkerParts(settings, facts)
  const apis = apiParts(settings, facts)
  const [credential] = await Promise.all([
    known?.operator.credential ?? createOperator(env, 'demo'),
    ...workers.concat(runWorkers, apis).map((part) => settings.start(part)),
  ])
  const { treasury, agents } = demo
  const accounts = {
    rpc_url: rpcUrl,
    base_url: urlOf(settings.ports.base),
    treasury,
    operator: { credential },
    agents,
  }
  writeSecret(layout.accounts, accounts)
  const servers = { postgres, temporal, chain, signer, cage }
  return {
    layout,
    ports: settings.ports,
    databaseUrl,
    accounts,
    env,
    ...servers,
    workers,
    runWorkers,
    apis,
  }
}

async function makeKeys(layout: Layout): Promise<ServiceAccounts> {
  const service = await serviceAccounts(layout.root)
  await keepSecret(layout.payoutWalletKey, () => service.payoutWallet.private_key)
  await keepSecret(layout.gasWalletKeys, () =>
    service.gasWallets.map((wallet) => wallet.private_key),
  )
  keepKeys(layout, new Date())
  return service
}

async function infrastructureParts(
  { ports, path, cacheHome, say, inherited }: EmbeddedSettings,
  layout: Layout,
) {
  const password = await keepSecret(layout.postgresPassword, () =>
    randomBytes(18).toString('base64url'),
  )
  const database = {
    directory: layout.postgres,
    port: ports.postgres,
    password,
    logFile: layout.log('postgres'),
  }
  const server = {
    databaseFile: layout.temporal,
    port: ports.temporal,
    uiPort: ports.temporalUi,
    logFile: layout.log('temporal'),
    inherited,
  }
  return {
    databaseUrl: postgresUrl(database),
    postgres: postgresPart(database),
    temporal: temporalPart({ ...server, obtain: { path, cacheHome, say } }),
    chain: chainPart({
      directory: layout.chain,
      port: ports.rpc,
      logFile: layout.log('chain'),
      warn: say,
      guarded: true,
    }),
  }
}

/** The first part has the bare name; the others are numbered from 2. */
const numbered = (name: string, index: number): string =>
  index === 0 ? name : `${name}-${index + 1}`

function signerPartOf({ inherited }: EmbeddedSettings, facts: EnvironmentFacts): Part {
  const env = { ...inherited, ...signerSettings(facts) }
  return signerPart({ name: 'signer', logFile: facts.layout.log('signer'), env }, facts.layout)
}

function cagePartOf({ inherited }: EmbeddedSettings, { layout }: EnvironmentFacts): Part {
  const env = cageSettings({ layout }, inherited)
  return cagePart({ name: 'cage', logFile: layout.log('cage'), env }, layout.cageSocket)
}

function workerParts(settings: EmbeddedSettings, layout: Layout, env: NodeJS.ProcessEnv): Part[] {
  return Array.from({ length: settings.workers ?? 1 }, (_, index) => {
    const name = numbered('worker', index)
    return workerPart(
      { name, logFile: layout.log(name), env },
      `127.0.0.1:${settings.ports.temporal}`,
    )
  })
}

/** They cannot reach the wallets. */
function runWorkerParts(settings: EmbeddedSettings, facts: EnvironmentFacts): Part[] {
  return Array.from({ length: settings.runWorkers ?? 1 }, (_, index) => {
    const name = numbered('worker-runs', index)
    const env = { ...settings.inherited, ...runWorkerSettings(facts) }
    return runWorkerPart(
      { name, logFile: facts.layout.log(name), env },
      `127.0.0.1:${settings.ports.temporal}`,
    )
  })
}

function apiParts(settings: EmbeddedSettings, facts: EnvironmentFacts): Part[] {
  return [settings.ports, ...(settings.moreApis ?? [])].map(({ base, os }, index) => {
    const name = numbered('api', index)
    const env = {
      ...settings.inherited,
      ...apiSettings(facts),
      BASE_PORT: String(base),
      OS_PORT: String(os),
    }
    return apiPart({ name, logFile: facts.layout.log(name), env }, urlOf(base))
  })
}
