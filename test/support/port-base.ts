import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { choosePorts } from '../../worker/stack/ports.ts'

/**
 * A PORT_BASE whose ports are free, below the range that `findFree` gives to the other tests of a run. Until this process ends it
 * holds the UDP port of the same number, so that no other test finds the same base.
 */
export async function freePortBase(): Promise<number> {
  const base = randomInt(700, 1_000) * 10
  const socket = createSocket('udp4').unref()
  try {
    socket.bind({ port: base, address: '127.0.0.1', exclusive: true })
    await once(socket, 'listening')
    await choosePorts(base)
    return base
  } catch {
    socket.close()
    return freePortBase()
  }
}
