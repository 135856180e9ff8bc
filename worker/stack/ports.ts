import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The ports of one stack on 127.0.0.1. */
export type Ports = {
  base: number
  os: number
  temporalUi: number
  temporal: number
  postgres: number
  rpc: number
}

// Linux gives outgoing connections ports from 32768 on, others from 49152 on: one taken there would be gone again before its part listens.
const LOWEST_FREE = 10_000
const HIGHEST_FREE = 32_768
// Ports that browsers and `fetch` refuse (WHATWG Fetch, port blocking), of those that need no privilege.
const BLOCKED: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
])
const ORDER = ['base', 'os', 'temporalUi', 'temporal', 'postgres', 'rpc'] as const

/** PORT_BASE n: n … n+5 in the order of overview.md; unset: 3000, 3001 and free ones. Throws naming the first port that is taken or blocked. */
export async function choosePorts(portBase: number | undefined): Promise<Ports> {
  const fixed = ORDER.slice(0, portBase === undefined ? 2 : ORDER.length)
  const chosen = new Map<string, number>()
  for (const [index, name] of fixed.entries()) {
    const port = (portBase ?? 3000) + index
    if (BLOCKED.has(port)) throw new Error(blockedMessage(name, port))
    if (!(await isFree(port))) throw new Error(takenMessage(name, port, portBase))
    chosen.set(name, port)
  }
  return { ...(await freePorts()), ...Object.fromEntries(chosen) }
}

/** Six different ports that nothing listens on now; reserved like those of `findFree`. */
export async function freePorts(): Promise<Ports> {
  const [base = 0, os = 0, temporalUi = 0, temporal = 0, postgres = 0, rpc = 0] = await findFree(
    ORDER.length,
  )
  return { base, os, temporalUi, temporal, postgres, rpc }
}

/**
 * `count` different free TCP ports, from below the range that systems give to outgoing connections. No other process
 * finds the same ports until this process ends.
 */
export async function findFree(count: number): Promise<number[]> {
  const found: number[] = []
  while (found.length < count) {
    const port = randomInt(LOWEST_FREE, HIGHEST_FREE)
    if (!BLOCKED.has(port) && (await reserve(port)) && (await isFree(port))) found.push(port)
  }
  return found
}

/** Holds the UDP port of the same number, which nothing here uses; false when another process, or this one, holds it. */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref()
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  try {
    await once(socket, 'listening')
    return true
  } catch {
    socket.close()
    return false
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true })
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

const blockedMessage = (name: string, port: number): string =>
  `port ${port} (${name}) is one that browsers and fetch refuse: choose another PORT_BASE, such as 4000`

function takenMessage(name: string, port: number, portBase: number | undefined): string {
  const way =
    portBase === undefined
      ? 'set PORT_BASE to another number, such as 4000'
      : 'choose another PORT_BASE'
  return `port ${port} (${name}) is taken: stop what listens there, or ${way}`
}
