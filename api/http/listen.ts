import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Express } from 'express'
import type { Config } from '../../activities/config/config.ts'
import { countedAddress, networkOf } from '../client-address.ts'
import { answerUnreadable, type UnreadableHandler } from './answer-unreadable.ts'

/** One bound listener; `stop` accepts nothing new, lets calls in flight finish, and cuts what is left after `drainMs`. */
export type Listener = { readonly port: number; stop(drainMs: number): Promise<void> }

/** Connections of all networks that a listener holds at once. */
const CONNECTIONS_MAX = 8_192

/** Without `unreadable`, Node answers what is not HTTP; without `perNetwork`, one network may hold all connections. */
type ListenOptions = {
  readonly unreadable?: UnreadableHandler | undefined
  readonly perNetwork?: number | undefined
}

/** How a public listener is configured. Behind a proxy, all connections are the proxy's, and are not counted. */
export const listenOptions = (
  config: Pick<Config, 'BASE_URL' | 'TRUST_PROXY' | 'CONNECTIONS_PER_NETWORK'>,
): ListenOptions => ({
  unreadable: answerUnreadable(config.BASE_URL),
  ...(config.TRUST_PROXY === '' ? { perNetwork: config.CONNECTIONS_PER_NETWORK } : {}),
})

/** Binds an app; port 0 takes a free one. Rejects when the port is taken. */
export async function listen(
  app: Express,
  host: string,
  port: number,
  { unreadable, perNetwork }: ListenOptions = {},
): Promise<Listener> {
  // A large upload takes its time; all other bodies have a shorter one of their own. An idle connection is kept for longer than clients
  // and proxies keep it, because a call that is being sent is lost where the server ends it first.
  const times = { requestTimeout: 1_800_000, headersTimeout: 15_000, keepAliveTimeout: 65_000 }
  const server = createServer(times, app)
  server.maxConnections = CONNECTIONS_MAX
  if (perNetwork !== undefined) boundConnections(server, perNetwork)
  if (unreadable !== undefined) server.on('clientError', unreadable)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    stop: (drainMs) => drain(server, drainMs),
  }
}

/** Ends every further connection of a network that holds so many, before a byte of it is read. */
function boundConnections(server: Server, most: number): void {
  const held = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const network = networkOf(countedAddress(socket.remoteAddress ?? ''))
    const count = (held.get(network) ?? 0) + 1
    if (count > most) {
      socket.destroy()
      return
    }
    held.set(network, count)
    socket.once('close', () => {
      const left = (held.get(network) ?? 1) - 1
      if (left === 0) held.delete(network)
      else held.set(network, left)
    })
  })
}

async function drain(server: Server, drainMs: number): Promise<void> {
  // A connection that is kept alive is idle again only after its answer, so idle ones are closed until none is left.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => server.closeAllConnections(), drainMs)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearInterval(sweep)
  clearTimeout(cut)
}
