import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { layoutOf } from '../../../worker/stack/layout.ts'
import { nullReceipts, rangeLimit } from '../../support/node-faults.ts'
import { freeze } from '../../support/processes.ts'
import type { TestStack } from '../../support/stack.ts'
import type { ChainActs } from './chain-acts.ts'
import type { ChainWire } from './chain-wire.ts'
import type { Director } from './director.ts'
import type { PostgresWire } from './postgres-wire.ts'
import type { BatchEvent, BatchFault } from './schedule.ts'
import type { Tally } from './tally.ts'

/** What a fault of everybody works with; killed parts are started again by their supervisor. */
export type BatchWorld = {
  stack: TestStack
  commands: ChainActs
  chainWire: ChainWire
  postgresWire: PostgresWire
  director: Director
  /** How far the second worker's clock is off after its next start. */
  setClock(offsetMs: number): void
}
type Strike = (world: BatchWorld, forMs: number) => Promise<unknown>

const TEN_MINUTES_MS = 600_000
/** Steps that store something and whose result is known to the workflow alone. */
const localSteps = ['createPayout', 'authorizePayout', 'reserveTransfer']
/** More than any server of these tests takes. */
const MOST_CONNECTIONS = 200
const SLOW_MS = 40

const during =
  (begin: (world: BatchWorld) => unknown, end: (world: BatchWorld) => unknown): Strike =>
  async (world, forMs) => {
    await begin(world)
    await sleep(forMs)
    await end(world)
  }
const stopped =
  (part: (stack: TestStack) => Parameters<typeof freeze>[0]): Strike =>
  async ({ stack }, forMs) => {
    const thaw = freeze(part(stack))
    await sleep(forMs)
    thaw()
  }
const clock =
  (offsetMs: number): Strike =>
  async ({ stack, setClock }) => {
    setClock(offsetMs)
    await stack.worker(1).kill('SIGKILL')
  }

const strikes: Record<BatchFault, Strike> = {
  'api killed': ({ stack }) => stack.api(0).kill('SIGKILL'),
  'second api killed': ({ stack }) => stack.api(1).kill('SIGKILL'),
  'worker killed': ({ stack }) => stack.worker(0).kill('SIGKILL'),
  'second worker killed': ({ stack }) => stack.worker(1).kill('SIGKILL'),
  'temporal killed': ({ stack }) => stack.temporal.kill('SIGKILL'),
  'postgres killed': ({ stack }) => stack.postgres.kill('SIGKILL'),
  'chain killed': ({ stack }) => stack.chain.kill('SIGKILL'),
  'postgres stopped': stopped((stack) => stack.postgres),
  'temporal stopped': stopped((stack) => stack.temporal),
  'postgres slow': during(
    ({ postgresWire }) => postgresWire.slow(SLOW_MS),
    ({ postgresWire }) => postgresWire.mend(),
  ),
  'postgres resets connections': async ({ postgresWire }) => postgresWire.reset(),
  'rpc serves stale heads': during(
    ({ chainWire }) => chainWire.freezeHead(),
    ({ chainWire }) => chainWire.mend(),
  ),
  'rpc down': during(
    ({ chainWire }) => chainWire.cut(),
    ({ chainWire }) => chainWire.mend(),
  ),
  reorg: ({ commands }, forMs) => commands.reorg(1 + (forMs % 3)),
  'gas wallets empty': during(
    ({ commands }) => commands.emptyGasWallets(),
    ({ commands }) => commands.fundGasWallets(),
  ),
  'payout wallet empty': during(
    ({ commands }) => commands.emptyPayoutWallet(),
    ({ commands }) => commands.fundPayoutWallet(),
  ),
  'token paused': during(
    ({ commands }) => commands.pauseToken(),
    ({ commands }) => commands.unpauseToken(),
  ),
  'worker clock 10 minutes fast': clock(TEN_MINUTES_MS),
  'worker clock 10 minutes slow': clock(-TEN_MINUTES_MS),
  'temporal killed before a result': ({ stack, director }) =>
    director.beforeResult(localSteps, () => stack.temporal.kill('SIGKILL')),
  'temporal loses its data': async ({ stack }) => {
    await forgetTemporal(stack.dataDirectory)
    await stack.temporal.kill('SIGKILL')
  },
  'postgres refuses connections': during(
    ({ postgresWire }) => postgresWire.refuse(),
    ({ postgresWire }) => postgresWire.mend(),
  ),
  'postgres has no connection left': async ({ stack, postgresWire }, forMs) => {
    const release = await takeConnections(stack.databaseUrl, postgresWire.reset)
    await sleep(forMs)
    await release()
  },
  'rpc has no receipts': during(
    ({ chainWire }) => chainWire.fail(nullReceipts()),
    ({ chainWire }) => chainWire.mend(),
  ),
  'rpc answers ten blocks of logs': during(
    ({ chainWire }) => chainWire.fail(rangeLimit(10)),
    ({ chainWire }) => chainWire.mend(),
  ),
}

/** Strikes at the times of the schedule; what could not be done, such as on a chain that is down already, is not counted. */
export async function strikeAll(
  world: BatchWorld,
  events: readonly BatchEvent[],
  { begunAt, tally, log }: { begunAt: number; tally: Tally; log: (text: string) => void },
): Promise<void> {
  for (const { atMs, fault, forMs } of events) {
    await sleep(Math.max(0, begunAt + atMs - Date.now()))
    await strikes[fault](world, forMs).then(
      () => tally.count(fault),
      (error: unknown) =>
        log(
          `${fault} failed: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
        ),
    )
  }
}

/** A server that runs keeps what it has open; the next one begins with nothing. */
async function forgetTemporal(dataDirectory: string): Promise<void> {
  const { temporal } = layoutOf(dataDirectory)
  for (const file of [temporal, `${temporal}-wal`, `${temporal}-shm`])
    await rm(file, { force: true })
}

/** Takes every connection that the server gives its owner, while all others lose theirs; the result gives them back. */
async function takeConnections(url: string, reset: () => void): Promise<() => Promise<unknown>> {
  const taken: pg.Client[] = []
  const take = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: url, application_name: 'chaos' })
    client.on('error', () => undefined)
    return client.connect().then(
      () => taken.push(client) > 0,
      () => false,
    )
  }
  reset()
  while (taken.length < MOST_CONNECTIONS && (await take()));
  return () => Promise.allSettled(taken.map((client) => client.end()))
}
