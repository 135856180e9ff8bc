import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A wire to Postgres that can be slow, or lose every connection it carries. */
export type PostgresWire = {
  port: number
  slow(ms: number): void
  reset(): void
  /** Cuts every connection, and each new one at once. */
  refuse(): void
  mend(): void
  close(): Promise<void>
}

/** Carries bytes both ways between a client and the server on `target`. */
export async function startPostgresWire(target: number): Promise<PostgresWire> {
  const sockets = new Set<Socket>()
  let delayMs = 0
  let refuses = false
  const carry = async (from: Socket, to: Socket): Promise<void> => {
    try {
      for await (const chunk of from) {
        if (delayMs > 0) await sleep(delayMs)
        if (!to.write(chunk as Buffer))
          await new Promise((resolve) => to.once('drain', resolve).once('close', resolve))
      }
      to.end()
    } catch {
      to.destroy()
    }
  }
  const server = createServer((client) => {
    if (refuses) return client.resetAndDestroy()
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
    }
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    for (const socket of [client, upstream]) socket.on('close', () => sockets.delete(socket))
    void carry(client, upstream)
    void carry(upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    slow: (ms) => {
      delayMs = ms
    },
    reset,
    refuse: () => {
      refuses = true
      reset()
    },
    mend: () => {
      refuses = false
      delayMs = 0
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        reset()
      }),
  }
}
