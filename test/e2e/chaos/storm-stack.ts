import { rm } from 'node:fs/promises'
import type { Address } from 'viem'
import type { Part } from '../../../worker/stack/part.ts'
import { openRail, type Rail } from '../../support/agent.ts'
import { scratchDirectory } from '../../support/postgres.ts'
import { providerIn } from '../../support/provider.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { type ChainActs, openChainActs } from './chain-acts.ts'
import { finalLater } from './chaos-stack.ts'
import { PartSupervisor } from './part-supervisor.ts'
import { addressSettings } from './participants.ts'
import { partsOf, type StormShape } from './storm-schedule.ts'

/** The product as it is shipped, but that its late rows are woken sooner and that blocks come fast. */
const settings = {
  LATE_AFTER_MS: '500',
  SWEEP_EVERY_MS: '500',
  CHAIN_POLL_MS: '300',
  DATABASE_TIMEOUT_MS: '1000',
  ...addressSettings,
}

/** A stack whose parts all come back when they are killed. */
export type StormStack = {
  stack: TestStack
  rail: Rail
  asset: Address
  commands: ChainActs
  supervisor: PartSupervisor
  parts: ReadonlyMap<string, Part>
  stop(): Promise<void>
}

/** Brings up every part of the shape; Postgres has its stock number of connections. */
export async function startStormStack(
  shape: Pick<StormShape, 'apis' | 'workers'>,
): Promise<StormStack> {
  const known = new Map<string, Part>()
  const directory = await scratchDirectory()
  const closers: (() => Promise<unknown>)[] = [
    () => rm(directory, { recursive: true, force: true }),
  ]
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  try {
    const stack = await startStack({
      ...shape,
      env: { ...settings, ...(await providerIn(directory)) },
      prepare: (part) => {
        known.set(part.name, part)
        if (part.name === 'chain') finalLater(part)
      },
    })
    closers.push(stack.stop)
    const rail = await openRail(stack)
    closers.push(rail.stop)
    const commands = await openChainActs(rail.chain, rail.asset, rail.service)
    const supervisor = new PartSupervisor()
    closers.push(async () => supervisor.end())
    const parts = new Map(partsOf(shape).map((name) => [name, known.get(name) as Part]))
    for (const [name, part] of parts)
      if (name === 'chain') supervisor.keep(part, commands.mineByTheClock)
      else supervisor.keep(part)
    return { stack, rail, asset: rail.asset, commands, supervisor, parts, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
