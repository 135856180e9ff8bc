import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'

type Certificate = 'receiver' | 'other' | 'expired' | 'unknown'
const pem = (name: Certificate | 'authority') =>
  readFileSync(join(import.meta.dirname, 'tls', `${name}.pem`), 'utf8')

/** Signed `receiver` (hooks.receiver.example, localhost), `other` and `expired`; its key is gone. */
export const testAuthority = pem('authority')

/** A real TLS server of this process, and which names its connections asked for. */
export async function startTlsServer(
  listener: RequestListener,
  certificate: Certificate = 'receiver',
) {
  const server = createServer({ key: pem(certificate), cert: pem(certificate) }, listener)
  const names: (string | false)[] = []
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  server.on('secureConnection', (socket: TLSSocket) => names.push(socket.servername ?? false))
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    names,
    connections: () => connections,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
