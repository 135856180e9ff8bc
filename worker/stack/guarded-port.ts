import { Agent, createServer, type IncomingHttpHeaders, request } from 'node:http'
import { namesThisMachine } from '../../api/client-address.ts'
import { findFree } from './ports.ts'

const HOST = '127.0.0.1'

/** Whether a request names this machine, and no page of another origin sends it. */
const isLocalRequest = ({ host, origin }: IncomingHttpHeaders): boolean =>
  namesThisMachine(host) &&
  (origin === undefined || namesThisMachine(/^https?:\/\/(.+)$/i.exec(origin)?.[1]))

/** A program behind a guarded port: it listens on a free port, which `open` chooses for each start. */
export type GuardedPort = {
  open(): Promise<number>
  /** Guards the port until the result is called. */
  guard(): () => void
}

export function createGuardedPort(port: number): GuardedPort {
  let behind = 0
  return {
    open: async () => {
      ;[behind = 0] = await findFree(1)
      return behind
    },
    guard: () => guardPort(port, behind),
  }
}

/**
 * Answers on a port of 127.0.0.1 for a program on another one that takes every Host: a page whose name leads to this machine (DNS
 * rebinding) and a page of another origin get 421. The result closes the port.
 */
function guardPort(port: number, to: number): () => void {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, answer) => {
    const { method, url, headers } = incoming
    if (!isLocalRequest(headers)) {
      answer.writeHead(421, { connection: 'close' }).end('call localhost or 127.0.0.1\n')
      return
    }
    const sent = request({ host: HOST, port: to, agent, method, path: url, headers })
    sent.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    sent.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()))
    answer.on('close', () => sent.destroy())
    incoming.pipe(sent)
  })
  server.on('error', () => undefined)
  server.listen(port, HOST)
  return () => {
    server.close()
    server.closeAllConnections()
    agent.destroy()
  }
}
