import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RpcAnswer = {
  jsonrpc?: string
  id?: number
  result?: unknown
  error?: { code: number; message: string }
}
/** A wire that breaks: the connection is cut, an HTTP 500 without a verdict, or nothing at all comes back. */
export type BrokenAnswer = 'cut' | 'http 500' | 'silence'
/** What becomes of one question: `pass` really asks the chain, with other parameters if given. */
export type Meddle = (
  method: string,
  pass: (params?: unknown[]) => Promise<RpcAnswer>,
  params?: unknown[],
) => Promise<RpcAnswer | BrokenAnswer>

type Question = { id: number; method: string; params?: unknown[] }

/** The real chain behind a wire that `meddle` may cut or change; an absent chain looks the same as a cut wire. */
export async function startProxy(rpcUrl: string, meddle: Meddle) {
  const ask = async ({ id, method, params = [] }: Question): Promise<RpcAnswer | BrokenAnswer> => {
    const pass = async (others: unknown[] = params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: others })
      const response = await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      return (await response.json()) as RpcAnswer
    }
    const answer = await meddle(method, pass, params).catch(() => 'cut' as const)
    return typeof answer === 'string' ? answer : { ...answer, jsonrpc: '2.0', id }
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
