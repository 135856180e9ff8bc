import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Answer, Witness } from './witness.ts'

/** The most bytes of a request: 63 hashes, and a checkpoint with 16 signatures of 5 kB. */
const BODY_BYTES_MAX = 131_072
const REQUEST_TIMEOUT_MS = 10_000
const CONNECTIONS_MAX = 64

/** Serves `POST /add-checkpoint` and `GET /<origin hash>/checkpoint` (C2SP tlog-witness); resolves once it listens. */
export async function serveWitness(
  witness: Witness,
  { host, port, report }: { host: string; port: number; report: (error: unknown) => void },
): Promise<{ url: string; stop(): Promise<void> }> {
  const limits = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS }
  const server = createServer(limits, async (request, response) => {
    const { status, body, type } = await answer(witness, request).catch(
      (error: unknown): Answer => {
        report(error)
        return { status: 500, body: 'the checkpoint could not be stored\n' }
      },
    )
    if (!request.complete) response.setHeader('connection', 'close')
    response
      .writeHead(status, {
        'content-type': type ?? 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
      })
      .end(body)
  })
  server.maxConnections = CONNECTIONS_MAX
  await listen(server, host, port)
  const bound = server.address()
  const at = typeof bound === 'object' && bound !== null ? bound.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${at}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(witness: Witness, request: IncomingMessage): Promise<Answer> {
  const { method = '', url = '' } = request
  if (url === '/add-checkpoint' && method === 'POST') return add(witness, request)
  if (method !== 'GET') return { status: 405, body: 'the method fits no path\n' }
  if (url !== witness.monitorPath) return { status: 404, body: 'not found\n' }
  const latest = witness.latest()
  return latest === undefined
    ? { status: 404, body: 'no checkpoint was cosigned yet\n' }
    : { status: 200, body: latest.note }
}

async function add(witness: Witness, request: IncomingMessage): Promise<Answer> {
  const body = await readBody(request)
  if (body === undefined) return { status: 413, body: `over ${BODY_BYTES_MAX} bytes\n` }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  // What is not UTF-8 does not come back as it was.
  if (!Buffer.from(text).equals(body)) return { status: 400, body: 'not UTF-8\n' }
  return witness.add(text)
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > BODY_BYTES_MAX) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
}
