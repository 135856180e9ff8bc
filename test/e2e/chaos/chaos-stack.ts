import type { Address } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { SIGNING_QUEUE } from '../../../temporal/queues.ts'
import { urlOf } from '../../../worker/stack/environment.ts'
import type { Part } from '../../../worker/stack/part.ts'
import { freePorts } from '../../../worker/stack/ports.ts'
import { askPoller } from '../../../worker/stack/temporal.ts'
import { localChainClient } from '../../../worker/stack/token.ts'
import { openRail, type Rail } from '../../support/agent.ts'
import { isProgram, startStack, type TestStack } from '../../support/stack.ts'
import { type ChainActs, openChainActs } from './chain-acts.ts'
import { type ChainWire, startChainWire } from './chain-wire.ts'
import type { ChaosPrograms } from './compile.ts'
import { startFacilitator } from './facilitator.ts'
import { PartSupervisor } from './part-supervisor.ts'
import { addressSettings } from './participants.ts'
import { type PostgresWire, startPostgresWire } from './postgres-wire.ts'

/** Every time of the configuration about 1:20, as far as two busy processors can keep them; addresses come from `X-Forwarded-For`. */
const settings = {
  EXECUTE_WAIT_MS: '1000',
  CALL_LEASE_MS: '2000',
  DATABASE_TIMEOUT_MS: '1000',
  UPDATE_WAIT_MS: '4000',
  SETTLE_WAIT_MS: '2000',
  SWEEP_EVERY_MS: '750',
  SWEEP_GRACE_MS: '1500',
  CONFIRM_WINDOW_MS: '2500',
  CHAIN_POLL_MS: '300',
  FEE_BUMP_AFTER_MS: '1500',
  RPC_TIMEOUT_MS: '1000',
  GAS_WALLET_JAM_AFTER_MS: '4500',
  RECONCILE_EVERY_MS: '4000',
  RECONCILE_SETTLE_MS: '1000',
  CHAIN_CACHE_MS: '100',
  EXECUTE_LIFE_MIN_S: '2',
  CREATED_LIFE_MS: '120000',
  X402_MAX_TIMEOUT_S: '30',
  X402_MIN_REMAINING_S: '3',
  LATE_AFTER_MS: '500',
  ...addressSettings,
}
/** Only what moves money, because every activity has to be hit. */
const queues = {
  all: 'payouts,signing,transfers',
  allButSigning: 'payouts,transfers',
  signing: SIGNING_QUEUE,
}
/** Blocks to finality are twice this many; what a killed chain forgets, and what a reorg takes back, is less. */
const SLOTS_IN_AN_EPOCH = '4'

export type ChaosStackOptions = {
  programs: ChaosPrograms
  director: string
  remoteFacilitator: boolean
  /** A third worker serves the queue `signing`, and the other two do not. */
  signsApart: boolean
  /** Whose settlement the facilitator elsewhere never answers. */
  timesOut: (payer: string) => boolean
}

/** A stack with wires before Postgres and the chain, workers that the director can hurt, and a supervisor of its parts. */
export type ChaosStack = {
  stack: TestStack
  rail: Rail
  asset: Address
  commands: ChainActs
  chainWire: ChainWire
  postgresWire: PostgresWire
  supervisor: PartSupervisor
  setClock(offsetMs: number): void
  stop(): Promise<void>
}

/** Brings it up; from then on blocks come by the clock. */
export async function startChaosStack(options: ChaosStackOptions): Promise<ChaosStack> {
  const ports = await freePorts()
  const [postgresWire, chainWire] = await Promise.all([
    startPostgresWire(ports.postgres),
    startChainWire(urlOf(ports.rpc)),
  ])
  const closers: (() => Promise<unknown>)[] = [chainWire.close, postgresWire.close]
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  const count = options.signsApart ? 3 : 2
  let clockMs = 0
  const wired = { ports, postgresWire, chainWire, options }
  try {
    const elsewhere = options.remoteFacilitator
      ? startRemote(urlOf(ports.rpc), options.timesOut, closers)
      : undefined
    const stack = await startStack({
      apis: 2,
      workers: count,
      runWorkers: 0,
      ports,
      env: { ...settings, TASK_QUEUES: options.signsApart ? queues.allButSigning : queues.all },
      prepare: (part) => {
        if (part.name === 'chain') finalLater(part)
        if (part.name === 'postgres') logsLocks(part)
        if (isProgram(part)) throughWires(part, wired, async () => (await elsewhere)?.url ?? '')
        if (part.name === 'worker-2') withClock(part, () => clockMs)
        if (part.name === 'worker-3') signsOnly(part, `127.0.0.1:${ports.temporal}`)
      },
    })
    closers.push(stack.stop)
    const rail = await openRail(stack)
    closers.push(rail.stop)
    const commands = await openChainActs(rail.chain, rail.asset, rail.service)
    const supervisor = new PartSupervisor()
    closers.push(async () => supervisor.end())
    const workers = Array.from({ length: count }, (_, index) => stack.worker(index))
    for (const part of [stack.postgres, stack.temporal, stack.api(0), stack.api(1), ...workers])
      supervisor.keep(part)
    supervisor.keep(stack.chain, commands.mineByTheClock)
    const setClock = (offsetMs: number) => {
      clockMs = offsetMs
    }
    return {
      stack,
      rail,
      asset: rail.asset,
      commands,
      chainWire,
      postgresWire,
      supervisor,
      setClock,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startRemote(
  rpcUrl: string,
  timesOut: (payer: string) => boolean,
  closers: (() => Promise<unknown>)[],
): Promise<{ url: string }> {
  const facilitator = await startFacilitator(
    localChainClient(rpcUrl, generatePrivateKey()),
    timesOut,
  )
  closers.push(facilitator.close)
  return facilitator
}

type Launched = Awaited<ReturnType<Part['plan']['launch']>>

function relaunched(
  { plan }: Part,
  change: (launched: Launched) => Launched | Promise<Launched>,
): void {
  const { launch } = plan
  plan.launch = async () => change(await launch())
}

/** Who waits for whom stands in the log: evidence of what is stuck. */
function logsLocks(part: Part): void {
  const more = ['-c', 'log_lock_waits=on', '-c', 'log_line_prefix=%m [%p] %a ']
  relaunched(part, (launched) => ({ ...launched, args: [...launched.args, ...more] }))
}

export function finalLater(part: Part): void {
  relaunched(part, (launched) => {
    const args = [...launched.args]
    args[args.indexOf('--slots-in-an-epoch') + 1] = SLOTS_IN_AN_EPOCH
    return { ...launched, args }
  })
}

function throughWires(
  part: Part,
  {
    ports,
    postgresWire,
    chainWire,
    options,
  }: {
    ports: { postgres: number; rpc: number }
    postgresWire: PostgresWire
    chainWire: ChainWire
    options: ChaosStackOptions
  },
  facilitatorUrl: () => Promise<string>,
): void {
  const { programs, director } = options
  relaunched(part, async ({ args, env = {}, ...rest }) => ({
    ...rest,
    args: part.name.startsWith('worker') ? [...args.slice(0, -1), programs.worker] : args,
    env: {
      ...env,
      DATABASE_URL: (env['DATABASE_URL'] ?? '').replace(
        `:${ports.postgres}/`,
        `:${postgresWire.port}/`,
      ),
      CHAIN_RPC_URL: chainWire.url,
      CONFIRM_RPC_URL: urlOf(ports.rpc),
      X402_FACILITATOR_URL: await facilitatorUrl(),
      CHAOS_DIRECTOR: director,
      CHAOS_BUNDLE: programs.bundle,
    },
  }))
}

function signsOnly(part: Part, temporalAddress: string): void {
  relaunched(part, ({ env = {}, ...rest }) => ({
    ...rest,
    env: { ...env, TASK_QUEUES: queues.signing },
  }))
  part.plan.probe = (pid) => askPoller(temporalAddress, queues.signing, pid, 2)
}

function withClock(part: Part, offsetMs: () => number): void {
  relaunched(part, ({ env = {}, ...rest }) => ({
    ...rest,
    env: { ...env, CHAOS_CLOCK_OFFSET_MS: String(offsetMs()) },
  }))
}
