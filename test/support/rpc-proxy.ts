import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pause } from './faults.ts'

export type RpcAnswer = {
  jsonrpc?: string
  id?: number
  result?: unknown
  error?: { code: number; message: string }
}
/** A wire that breaks: the connection is cut, an HTTP 500 without a verdict, or nothing at all comes back. */
type BrokenAnswer = 'cut' | 'http 500' | 'silence'
/** An answer that is not JSON-RPC, or has another status. */
export type RawAnswer = { status: number; type: string; body: string }
/** What becomes of one question: `pass` really asks the chain, with other parameters if given. */
export type Meddle = (
  method: string,
  pass: (params?: unknown[]) => Promise<RpcAnswer>,
  params?: unknown[],
) => Promise<RpcAnswer | RawAnswer | BrokenAnswer>

type Question = { id: number; method: string; params?: unknown[] }

/** The real chain behind a wire that `meddle` may cut or change; an absent chain looks the same as a cut wire. */
export async function startProxy(rpcUrl: string | (() => string), meddle: Meddle) {
  const target = typeof rpcUrl === 'string' ? () => rpcUrl : rpcUrl
  const ask = async ({ id, method, params = [] }: Question) => {
    const pass = async (others: unknown[] = params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: others })
      const response = await fetch(target(), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      return (await response.json()) as RpcAnswer
    }
    const answer = await meddle(method, pass, params).catch(() => 'cut' as const)
    return typeof answer === 'string' || 'status' in answer
      ? answer
      : { ...answer, jsonrpc: '2.0', id }
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Question | Question[]
    const answers = await Promise.all([asked].flat().map(ask))
    const broken = answers.find((answer) => typeof answer === 'string')
    if (broken === 'silence') return
    if (broken === 'cut') return response.destroy()
    if (broken === 'http 500') return response.writeHead(500).end('internal error')
    const raw = answers.find((answer) => typeof answer === 'object' && 'status' in answer)
    if (raw !== undefined && 'status' in (raw as RawAnswer)) {
      const { status, type, body } = raw as RawAnswer
      return response.writeHead(status, { 'content-type': type }).end(body)
    }
    const body = JSON.stringify(Array.isArray(asked) ? answers : answers[0])
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, close }
}

/** What the wire to the chain does while it is out of order. */
export type Fault = Meddle

/** No question reaches the chain. */
export const down: Fault = async () => 'cut'

/** The chain takes every transaction but returns no answer; after the first one it answers nothing at all. */
export function silentAfterBroadcast(): Fault {
  let silent = false
  return async (method, pass) => {
    if (silent) return 'cut'
    if (method !== 'eth_sendRawTransaction') return pass()
    silent = true
    await pass()
    await pause(1_500)
    return 'cut'
  }
}

/** No transaction reaches the chain; everything else does. */
export const losesTransactions: Fault = async (method, pass) =>
  method === 'eth_sendRawTransaction' ? 'cut' : pass()

/** `act` comes before the first transaction that is sent: a third party is quicker. */
export function beforeBroadcast(act: () => Promise<unknown>): Fault {
  let acting: Promise<unknown> | undefined
  return async (method, pass) => {
    if (method !== 'eth_sendRawTransaction') return pass()
    acting ??= act()
    await acting
    return pass()
  }
}

/** A wire to the chain at `rpcUrl` that can be put out of order and mended. */
export async function startFaultyWire(rpcUrl: string) {
  let fault: Fault | undefined
  const honest: Fault = (_, pass) => pass()
  const { url, close } = await startProxy(rpcUrl, (...question) => (fault ?? honest)(...question))
  return {
    url,
    close,
    fail: (how: Fault) => {
      fault = how
    },
    mend: () => {
      fault = undefined
    },
  }
}

export type FaultyWire = Awaited<ReturnType<typeof startFaultyWire>>
