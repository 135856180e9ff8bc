import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { loadStackSettings } from '../activities/config/stack-settings.ts'
import { errorText } from './error-text.ts'
import { banner } from './stack/banner.ts'
import { isFirstStart, tryDemo } from './stack/demo.ts'
import { bringUp } from './stack/embedded.ts'
import { lockInstance } from './stack/instance-lock.ts'
import { layoutOf } from './stack/layout.ts'
import { choosePorts } from './stack/ports.ts'
import { Supervisor } from './stack/supervisor.ts'

const begun = performance.timeOrigin
const once = process.argv.includes('--once')
const demoAsked = once || process.argv.includes('--demo')
const say = (text: string) =>
  console.log(`[${((Date.now() - begun) / 1000).toFixed(1).padStart(5)} s] ${text}`)

const supervisor = new Supervisor(say)
let unlock = () => {}
let leaving: Promise<never> | undefined
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
  console.log(banner(stack))
  const shown = !(demoAsked || isFirstStart(stack.layout)) || (await tryDemo(stack, say))
  if (once) await leave(shown ? 0 : 1)
  say('Ctrl-C stops everything; nothing is lost')
} catch (error) {
  if (leaving === undefined) console.error(errorText(error))
  await leave(1)
}

/** Ends in order, once: a Ctrl-C reaches us from the terminal and again through npm. */
function leave(code: number): Promise<never> {
  leaving ??= supervisor.stop().then(() => {
    unlock()
    process.exit(code)
  })
  return leaving
}
