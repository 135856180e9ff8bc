import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { bundleWorkflowCode } from '@temporalio/worker'
import pg from 'pg'
import { configSchema } from '../../../activities/config/config.ts'
import { layoutOf } from '../../../worker/stack/layout.ts'
import type { Part } from '../../../worker/stack/part.ts'
import { migrate, workerPart } from '../../../worker/stack/programs.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import type { BaselineVariant } from './baseline/messages.ts'
import { type Child, startChild } from './child.ts'
import { cpuSeconds } from './cpu.ts'
import { eventTrigger } from './events.ts'
import type { Run } from './figures.ts'
import type { LoadSettings } from './load.ts'

const silent = () => undefined
const quiet = {
  log: silent,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: console.error,
}
/** No limit of the service may end a run: one address and one day see more calls here than anywhere else. */
const unlimited = {
  LIMIT_ADDRESS_PER_MINUTE: '100000000',
  LIMIT_WALLET_PER_MINUTE: '1000000',
  LIMIT_NEW_WALLETS_PER_MINUTE: '1000000',
  LIMIT_AGENT_PER_MINUTE: '1000000',
  FREE_GRANTS_PER_ADDRESS_PER_DAY: '100000000',
  FREE_GRANTS_PER_DAY: '100000000',
}

/** Unsent transfers are no leftovers of a dead process: the sweeper would ask Temporal about each, again and again. */
const chainless = { TASK_QUEUES: 'payouts,signing,tasks', SWEEP_EVERY_MS: '3600000' }

/** Everything that is measured, up and warm: the embedded stack, the baseline on the same servers, and the callers. */
export type Fixture = {
  stack: TestStack
  rail: pg.Pool
  baseline: pg.Pool
  temporal: Client
  payoutWallet: string
  load: Child
  baselineClient: Child
  baselineWorker: Child
  baselineApi: Child
  baselineApiUrl: string
  bareStatus: Child
  bareStatusUrl: string
  /** Has the chain's steps served until the result is called. */
  serveTransfers(): Promise<() => Promise<void>>
  pids: Record<string, number>
  stop(): Promise<void>
}

/** Whose payouts are measured; what stands behind a `baseline` is in its folder. */
export const everyone = ['rail', 'baseline', 'bare baseline', 'baseline over HTTP'] as const
export type Who = (typeof everyone)[number]
/** One run, and for each of its subjects the processor time of each process and the transactions that wrote something. */
export type Observed = {
  run: Run
  perSecond: number
  cpuMs: Record<string, number>
  commits: number
}
export type Round = Observed & { who: Who; callers: number; ids: string[] }

/** Where the chain's steps have a task queue of their own, payouts are measured while no worker serves it. */
export const transfersApart = configSchema.shape.TASK_QUEUES.parse(undefined).includes('transfers')

export async function openFixture(profileDirectory: string | undefined): Promise<Fixture> {
  if (profileDirectory !== undefined) mkdirSync(profileDirectory, { recursive: true })
  // An execute is answered at once: the progress of its transfer is read from Postgres.
  const stack = await startStack({
    env: { ...unlimited, ...(transfersApart ? chainless : {}), EXECUTE_WAIT_MS: '1' },
    prepare: (part) => prepare(part, profileDirectory),
  })
  const programs = [
    'load.js',
    'baseline/client.js',
    'baseline/worker.js',
    'baseline/http.js',
    'baseline/status.js',
  ]
  const children = programs.map((name) => startChild(name))
  const [load, baselineClient, baselineWorker, baselineApi, bareStatus] = children as [
    Child,
    Child,
    Child,
    Child,
    Child,
  ]
  const baselineUrl = Object.assign(new URL(stack.databaseUrl), { pathname: '/baseline' }).href
  await migrate({ ...stack.env, DATABASE_URL: baselineUrl })
  const [rail, baseline] = [stack.databaseUrl, baselineUrl].map(
    (connectionString) => new pg.Pool({ connectionString }),
  ) as [pg.Pool, pg.Pool]
  for (const pool of [rail, baseline])
    await pool.query(`${eventTrigger}; create extension pg_stat_statements`)
  await countStatements(rail, 'none')
  const { temporalAddress } = stack
  await load.ask('open', loadSettings(stack))
  await baselineClient.ask('open', { temporalAddress, databaseUrl: baselineUrl })
  const baselineApiUrl = await baselineApi.ask<string>('open', {
    temporalAddress,
    databaseUrl: baselineUrl,
  })
  await baselineWorker.ask('open', {
    temporalAddress,
    databaseUrl: baselineUrl,
    bundle: await bundleBaseline(stack),
  })
  const bareStatusUrl = await bareStatus.ask<string>('open', { databaseUrl: baselineUrl })
  const connection = await Connection.connect({ address: temporalAddress })
  const pids = {
    api: stack.api().pid,
    worker: stack.worker().pid,
    'run worker': stack.runWorker().pid,
    temporal: stack.temporal.pid,
    postgres: stack.postgres.pid,
    chain: stack.chain.pid,
    signer: stack.signer.pid,
    load: load.pid,
    'baseline client': baselineClient.pid,
    'baseline worker': baselineWorker.pid,
    'baseline api': baselineApi.pid,
    'bare status': bareStatus.pid,
  } as Record<string, number>
  return {
    stack,
    rail,
    baseline,
    temporal: new Client({ connection }),
    load,
    baselineClient,
    baselineWorker,
    baselineApi,
    baselineApiUrl,
    bareStatus,
    bareStatusUrl,
    payoutWallet: stack.env['PAYOUT_WALLET_ADDRESS'] ?? '',
    serveTransfers: () => serveTransfers(stack),
    pids,
    stop: async () => {
      await Promise.all(children.map((child) => child.stop()))
      await Promise.all([rail.end(), baseline.end(), connection.close()])
      await stack.stop()
    },
  }
}

/** Postgres counts statements if configured; our programs write a profile when they end. */
function prepare({ name, plan }: Part, profileDirectory: string | undefined): void {
  const { launch } = plan
  plan.launch = async () => {
    const launched = await launch()
    if (name === 'postgres') {
      return {
        ...launched,
        args: [...launched.args, '-c', 'shared_preload_libraries=pg_stat_statements'],
      }
    }
    if (profileDirectory === undefined || !/^(api|worker)/.test(name)) return launched
    const profile = ['--cpu-prof', `--cpu-prof-dir=${join(profileDirectory, name)}`]
    return { ...launched, args: [...profile, ...launched.args] }
  }
}

/** Turned on only where statements are counted, because counting costs something. */
export async function countStatements(pool: pg.Pool, which: 'top' | 'none'): Promise<void> {
  await pool.query(`alter system set pg_stat_statements.track = '${which}'`)
  await pool.query('select pg_reload_conf()')
}

function loadSettings(stack: TestStack): LoadSettings {
  const { treasury } = stack.accounts
  return {
    baseUrl: stack.baseUrls[0] as string,
    databaseUrl: stack.databaseUrl,
    signingKeysFile: layoutOf(stack.dataDirectory).signingKeys,
    asset: stack.env['ASSET_CONTRACT_ADDRESS'] as `0x${string}`,
    payoutWallet: stack.env['PAYOUT_WALLET_ADDRESS'] as `0x${string}`,
    holderKey: treasury.holder.private_key,
    principalKey: treasury.principal.private_key,
  }
}

async function serveTransfers({
  env,
  dataDirectory,
  temporalAddress,
}: TestStack): Promise<() => Promise<void>> {
  if (!transfersApart) return async () => undefined
  const logFile = join(dataDirectory, 'logs', 'worker-transfers.log')
  const part = workerPart(
    { name: 'worker-transfers', logFile, env: { ...env, TASK_QUEUES: 'transfers' } },
    temporalAddress,
  )
  await part.start()
  return () => part.stop()
}

async function bundleBaseline(stack: TestStack): Promise<string> {
  const workflowsPath = join(import.meta.dirname, 'baseline', 'workflow.js')
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: quiet })
  const file = join(stack.dataDirectory, 'baseline-bundle.js')
  await writeFile(file, code)
  return file
}

export type RoundSettings = {
  who: Who
  callers: number
  count: number
  until?: 'signed' | 'included'
}

/** One round of payouts: everything is prepared first, then the clock runs. */
export async function runRound(
  fixture: Fixture,
  { who, callers, count, until = 'signed' }: RoundSettings,
): Promise<Round> {
  const { load, baselineClient } = fixture
  if (who === 'rail') {
    const ids = await load.ask<string[]>('preparePayouts', count)
    const seen = await observed(fixture, () => load.ask<Run>('runPayouts', { callers, until }))
    if (!transfersApart || until === 'included') await settled(fixture)
    else await confirmAll(fixture)
    return { who, callers, ids, ...seen }
  }
  const ids = await baselineClient.ask<string[]>('prepare', count)
  if (who === 'baseline over HTTP') {
    await baselineClient.ask('proveCalls', fixture.baselineApiUrl)
    const { cpuMs, ...seen } = await observed(fixture, () =>
      baselineClient.ask<Run>('runOverHttp', callers),
    )
    // Here that process is only who calls.
    const { 'baseline client': caller = 0, ...served } = cpuMs
    return { who, callers, ids, ...seen, cpuMs: { ...served, load: caller } }
  }
  const variant: BaselineVariant = who === 'baseline' ? 'signing' : 'bare'
  return {
    who,
    callers,
    ids,
    ...(await observed(fixture, () => baselineClient.ask<Run>('run', { callers, variant }))),
  }
}

/** As the chain leaves a sent transfer: an unsent one would count as in flight in every later reservation. */
async function confirmAll({ rail }: Fixture): Promise<void> {
  await rail.query(`update transfers set status = 'final', block_time = clock_timestamp(), block_number = 1,
    block_hash = nonce, transaction_hash = nonce where status = 'signed'`)
}

/** What the processes and Postgres did for each subject while `work` ran. */
export async function observed(fixture: Fixture, work: () => Promise<Run>): Promise<Observed> {
  const [cpuBefore, writesBefore] = [cpuSeconds(fixture.pids), await writesSoFar(fixture)]
  const run = await work()
  const [cpu, writes] = [cpuSeconds(fixture.pids), await writesSoFar(fixture)]
  const cpuMs = Object.fromEntries(
    Object.entries(cpu).map(([name, seconds]) => [
      name,
      ((seconds - (cpuBefore[name] ?? 0)) * 1000) / run.count,
    ]),
  )
  return {
    run,
    perSecond: run.count / run.seconds,
    cpuMs,
    commits: (writes - writesBefore) / run.count,
  }
}

/** Postgres gives a number to each transaction that writes, and only to those. */
async function writesSoFar({ rail }: Fixture): Promise<number> {
  const { rows } = await rail.query<{ next: string }>(
    'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
  )
  return Number(rows[0]?.next)
}

/** No work of a round continues while the next one is measured. */
async function settled({ rail }: Fixture): Promise<void> {
  for (const until = Date.now() + 60_000; Date.now() < until; ) {
    const { rowCount } = await rail.query(
      `select 1 from transfers where status not in ('final', 'dead') limit 1`,
    )
    if (rowCount === 0) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('the transfers of a round were not final within a minute')
}
