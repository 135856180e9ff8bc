import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { bundleWorkflowCode } from '@temporalio/worker'
import pg from 'pg'
import type { Part } from '../../worker/stack/part.ts'
import { migrate } from '../../worker/stack/programs.ts'
import { startStack, type TestStack } from '../support/stack.ts'
import { type Child, startChild } from './child.ts'
import { cpuSeconds } from './cpu.ts'
import { eventTrigger } from './events.ts'
import type { Run } from './figures.ts'
import type { FloorVariant } from './floor/messages.ts'
import type { LoadSettings } from './load.ts'
import { emptyTables } from './seed-rows.ts'

const silent = () => undefined
const quiet = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: console.error }
/** No limit of the service may end a run: one address and one day see more calls here than anywhere else. */
const unlimited = {
  LIMIT_ADDRESS_PER_MINUTE: '100000000',
  LIMIT_WALLET_PER_MINUTE: '1000000',
  FREE_GRANTS_PER_ADDRESS_PER_DAY: '100000000',
  FREE_GRANTS_PER_DAY: '100000000',
}

/** Everything that is measured, up and warm: the embedded stack, the floor beside it on the same servers, and who calls them. */
export type Rig = {
  stack: TestStack
  rail: pg.Pool
  floor: pg.Pool
  temporal: Client
  load: Child
  floorClient: Child
  floorWorker: Child
  bareStatus: Child
  bareStatusUrl: string
  pids: Record<string, number>
  stop(): Promise<void>
}

export type Who = 'rail' | 'floor' | 'bare floor'
export type Round = {
  who: Who
  callers: number
  run: Run
  perSecond: number
  cpuMs: Record<string, number>
  /** Transactions that wrote something, for each payout. */
  commits: number
}

export async function openRig(profileDirectory: string | undefined): Promise<Rig> {
  if (profileDirectory !== undefined) mkdirSync(profileDirectory, { recursive: true })
  // An execute is answered at once: how its transfer goes on is seen in Postgres.
  const stack = await startStack({
    env: { ...unlimited, EXECUTE_WAIT_MS: '1' },
    prepare: (part) => prepare(part, profileDirectory),
  })
  const children = ['load.js', 'floor/client.js', 'floor/worker.js', 'floor/status.js'].map((name) => startChild(name))
  const [load, floorClient, floorWorker, bareStatus] = children as [Child, Child, Child, Child]
  const floorUrl = Object.assign(new URL(stack.databaseUrl), { pathname: '/floor' }).href
  await migrate({ ...stack.env, DATABASE_URL: floorUrl })
  const [rail, floor] = [stack.databaseUrl, floorUrl].map((connectionString) => new pg.Pool({ connectionString })) as [
    pg.Pool,
    pg.Pool,
  ]
  for (const pool of [rail, floor]) await pool.query(eventTrigger)
  await rail.query('create extension pg_stat_statements')
  const { temporalAddress } = stack
  await load.ask('open', loadSettings(stack))
  await floorClient.ask('open', { temporalAddress, databaseUrl: floorUrl })
  await floorWorker.ask('open', { temporalAddress, databaseUrl: floorUrl, bundle: await bundleFloor(stack) })
  const bareStatusUrl = await bareStatus.ask<string>('open', { databaseUrl: floorUrl })
  const connection = await Connection.connect({ address: temporalAddress })
  const pids = {
    api: stack.api().pid,
    worker: stack.worker().pid,
    temporal: stack.temporal.pid,
    postgres: stack.postgres.pid,
    chain: stack.chain.pid,
    load: load.pid,
    'floor client': floorClient.pid,
    'floor worker': floorWorker.pid,
    'bare status': bareStatus.pid,
  } as Record<string, number>
  return {
    stack,
    rail,
    floor,
    temporal: new Client({ connection }),
    load,
    floorClient,
    floorWorker,
    bareStatus,
    bareStatusUrl,
    pids,
    stop: async () => {
      await Promise.all(children.map((child) => child.stop()))
      await Promise.all([rail.end(), floor.end(), connection.close()])
      await stack.stop()
    },
  }
}

/** Postgres counts statements when it is told to; our programs write a profile when they end. */
function prepare({ name, plan }: Part, profileDirectory: string | undefined): void {
  const { launch } = plan
  plan.launch = async () => {
    const launched = await launch()
    if (name === 'postgres') {
      const counting = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track=none']
      return { ...launched, args: [...launched.args, ...counting.flatMap((setting) => ['-c', setting])] }
    }
    if (profileDirectory === undefined || !/^(api|worker)/.test(name)) return launched
    const profile = ['--cpu-prof', `--cpu-prof-dir=${join(profileDirectory, name)}`]
    return { ...launched, args: [...profile, ...launched.args] }
  }
}

function loadSettings(stack: TestStack): LoadSettings {
  const { treasury } = stack.accounts
  return {
    baseUrl: stack.baseUrls[0] as string,
    databaseUrl: stack.databaseUrl,
    signingKeysFile: stack.env['SIGNING_KEYS_FILE'] as string,
    asset: stack.env['ASSET_CONTRACT_ADDRESS'] as `0x${string}`,
    payoutWallet: stack.env['PAYOUT_WALLET_ADDRESS'] as `0x${string}`,
    holderKey: treasury.holder.private_key,
    principalKey: treasury.principal.private_key,
  }
}

async function bundleFloor(stack: TestStack): Promise<string> {
  const workflowsPath = join(import.meta.dirname, 'floor', 'workflow.js')
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: quiet })
  const file = join(stack.dataDirectory, 'floor-bundle.js')
  await writeFile(file, code)
  return file
}

export type RoundSettings = { who: Who; callers: number; count: number; until?: 'signed' | 'included' | 'created' }

/** One round of payouts: everything is prepared first, then the clock runs. */
export async function runRound(rig: Rig, { who, callers, count, until = 'signed' }: RoundSettings): Promise<Round> {
  const { load, floorClient } = rig
  const variant: FloorVariant = who === 'floor' ? 'signing' : 'bare'
  if (who === 'rail') await load.ask('preparePayouts', count)
  else await floorClient.ask('prepare', count)
  const { run, cpuMs, commits } = await observed(rig, count, () =>
    who === 'rail'
      ? load.ask<Run>('runPayouts', { callers, until })
      : floorClient.ask<Run>('run', { callers, until, variant }),
  )
  return { who, callers, run, perSecond: count / run.seconds, cpuMs, commits }
}

/** What the processes and Postgres did for each of `count` while `work` ran. */
export async function observed(rig: Rig, count: number, work: () => Promise<Run>) {
  const [cpuBefore, writesBefore] = [cpuSeconds(rig.pids), await writesSoFar(rig)]
  const run = await work()
  const [cpu, writes] = [cpuSeconds(rig.pids), await writesSoFar(rig)]
  const cpuMs = Object.fromEntries(
    Object.entries(cpu).map(([name, seconds]) => [name, ((seconds - (cpuBefore[name] ?? 0)) * 1000) / count]),
  )
  return { run, cpuMs, commits: (writes - writesBefore) / count }
}

/** Postgres gives a number to each transaction that writes, and only to those. */
async function writesSoFar({ rail }: Rig): Promise<number> {
  const { rows } = await rail.query<{ next: string }>('select pg_snapshot_xmax(pg_current_snapshot())::text as next')
  return Number(rows[0]?.next)
}

/** Ends every open workflow and empties both databases, so that a section begins where the first one did. */
export async function cleanSlate({ rail, floor, temporal }: Rig): Promise<void> {
  const ending: Promise<unknown>[] = []
  for await (const { workflowId } of temporal.workflow.list({ query: `ExecutionStatus = 'Running'` })) {
    ending.push(
      temporal.workflow
        .getHandle(workflowId)
        .terminate()
        .catch(() => undefined),
    )
  }
  await Promise.all(ending)
  for (const pool of [rail, floor]) await pool.query(emptyTables)
}
