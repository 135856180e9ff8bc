import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../activities/config/package-root.ts'
import { obtainTemporal } from '../../temporal/server/obtain.ts'
import type { Part } from '../../worker/stack/part.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { temporalPart } from '../../worker/stack/temporal.ts'
import { scratchDirectory } from './postgres.ts'

/** A Temporal server of its own with the search attributes registered, and with these arguments more. */
export async function startTemporal(
  more: readonly string[] = [],
): Promise<{ address: string; uiPort: number; binary: string; part: Part; stop(): Promise<void> }> {
  const directory = await scratchDirectory()
  const [port = 0, uiPort = 0] = await findFree(2)
  const obtain = {
    path: process.env['PATH'] ?? '',
    cacheHome: process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
    say: () => undefined,
  }
  const part = temporalPart({
    databaseFile: join(directory, 'temporal.db'),
    port,
    uiPort,
    logFile: join(directory, 'temporal.log'),
    inherited: process.env,
    obtain,
  })
  const { launch } = part.plan
  part.plan.launch = async () => {
    const launched = await launch()
    return { ...launched, args: [...launched.args, ...more] }
  }
  await startReady(part)
  return {
    address: `127.0.0.1:${port}`,
    uiPort,
    part,
    binary: await obtainTemporal({
      ...obtain,
      toolsModule: join(packageRoot, 'temporal', 'server'),
    }),
    stop: async () => {
      await part.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Starts a part, and starts it again when another program took a port of it just before. */
export async function startReady(part: Part, tries = 3): Promise<void> {
  await part.start()
  try {
    await part.waitReady()
  } catch (error) {
    if (tries === 1 || !part.logTail().includes('address already in use')) throw error
    await startReady(part, tries - 1)
  }
}
