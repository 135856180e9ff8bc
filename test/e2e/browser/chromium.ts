import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const quiet = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Why no browser is available; undefined if one is. */
export const noBrowser = existsSync(executablePath)
  ? undefined
  : `there is no browser at ${executablePath}: apt-get install chromium, or set CHROMIUM_PATH`

/** A headless browser that finds no host but this machine. */
export function openChromium(): Promise<Browser> {
  const alone = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', alone, ...quiet],
  })
}

/** A page, and what went wrong in it: console errors, uncaught ones, and requests to hosts other than `hosts`. */
export type WatchedPage = { page: Page; complaints: string[] }

/** Opens a page that is watched from its first request on. */
export async function openWatched(
  context: BrowserContext,
  hosts: readonly string[],
): Promise<WatchedPage> {
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error')
      complaints.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (/^(https?|wss?):$/.test(protocol) && !hosts.includes(host))
      complaints.push(`foreign: ${request.url()}`)
  })
  return { page, complaints }
}
