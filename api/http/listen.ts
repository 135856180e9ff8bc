import { createServer, type Server } from 'node:http'
import type { Express } from 'express'
import type { UnreadableHandler } from './answer-unreadable.ts'

/** One bound listener; `stop` accepts nothing new, lets calls in flight finish, and cuts what is left after `drainMs`. */
export type Listener = { readonly port: number; stop(drainMs: number): Promise<void> }

/** Binds an app; port 0 takes a free one. Rejects when the port is taken. Without `unreadable`, Node answers what is not HTTP. */
export async function listen(
  app: Express,
  host: string,
  port: number,
  unreadable?: UnreadableHandler,
): Promise<Listener> {
  // A large upload takes its time; all other bodies have a shorter one of their own. An idle connection is kept for longer than clients
  // and proxies keep it, because a call that is being sent is lost where the server ends it first.
  const times = { requestTimeout: 1_800_000, headersTimeout: 15_000, keepAliveTimeout: 65_000 }
  const server = createServer(times, app)
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

async function drain(server: Server, drainMs: number): Promise<void> {
  // A connection that is kept alive is idle again only after its answer, so idle ones are closed until none is left.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => server.closeAllConnections(), drainMs)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearInterval(sweep)
  clearTimeout(cut)
}
