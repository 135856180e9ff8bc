import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = { result?: unknown; error?: { code: number; message: string } }

/** The real chain behind a wire that `meddle` may cut or change: it gets the method and `pass`, which really asks. */
export async function startProxy(
  rpcUrl: string,
  meddle: (method: string, pass: () => Promise<Answer>) => Promise<Answer | 'cut'>,
) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    const headers = { 'content-type': 'application/json' }
    const pass = async () => (await (await fetch(rpcUrl, { method: 'POST', headers, body })).json()) as Answer
    const answer = await meddle(method, pass)
    if (answer === 'cut') return response.destroy()
    response.writeHead(200, headers).end(JSON.stringify({ ...answer, jsonrpc: '2.0', id }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) }
}
