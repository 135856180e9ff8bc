import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { loadStackSettings } from '../../activities/config/stack-settings.ts'
import { errorText } from '../error-text.ts'
import { bringUp, type EmbeddedStack } from './embedded.ts'
import { lockInstance } from './instance-lock.ts'
import { layoutOf } from './layout.ts'
import { choosePorts } from './ports.ts'
import { Supervisor } from './supervisor.ts'

const begun = performance.timeOrigin

/** Prints a line with the seconds since the process began. */
export const say = (text: string): void =>
  console.log(`[${((Date.now() - begun) / 1000).toFixed(1).padStart(5)} s] ${text}`)

/**
 * Brings up the embedded stack of DATA_DIR and keeps its parts running. The process ends in order after Ctrl-C, with the exit code
 * that `use` answers, or with 1 and the reason where the stack does not come up; without an exit code the stack stays up.
 */
export async function holdStack(
  use: (stack: EmbeddedStack) => Promise<number | undefined>,
): Promise<void> {
  const supervisor = new Supervisor(say)
  let unlock = () => {}
  let leaving: Promise<never> | undefined
  // Once: a Ctrl-C reaches us from the terminal and again through npm.
  const leave = (code: number): Promise<never> => {
    leaving ??= supervisor.stop().then(() => {
      unlock()
      process.exit(code)
    })
    return leaving
  }
  process.on('SIGINT', () => void leave(130))
  process.on('SIGTERM', () => void leave(143))
  try {
    const settings = loadStackSettings()
    const dataDirectory = resolve(settings.DATA_DIR)
    unlock = lockInstance(layoutOf(dataDirectory).lock)
    const stack = await bringUp({
      dataDirectory,
      ports: await choosePorts(settings.PORT_BASE),
      inherited: settings.inherited,
      path: settings.PATH,
      cacheHome: settings.XDG_CACHE_HOME || join(homedir(), '.cache'),
      say,
      start: supervisor.start,
    })
    say('everything is up')
    const code = await use(stack)
    if (code !== undefined) await leave(code)
    say('Ctrl-C stops everything; nothing is lost')
  } catch (error) {
    if (leaving === undefined) console.error(errorText(error))
    await leave(1)
  }
}
