import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { z } from 'zod'
import { readLines } from './lines.ts'
import { type RpcError, requestSchema, rpcErrors, SignerRefusal } from './protocol.ts'

/** A method: it gets the parameters as they were sent, and throws `SignerRefusal` for what it does not do. */
export type Methods = Readonly<Record<string, (params: unknown) => Promise<object>>>

const CONNECTIONS_MAX = 64

/**
 * Serves the methods on a Unix socket that only our user can open; throws where another process serves it. `onRefusal` gets what
 * was refused or failed, without the parameters.
 */
export async function serveSigner(
  path: string,
  methods: Methods,
  onRefusal: (method: string, error: Error) => void,
): Promise<{ close(): Promise<void> }> {
  return serveSocket(path, CONNECTIONS_MAX, (socket) =>
    readLines(socket, (line) => {
      void answerTo(line, methods, onRefusal).then((answer) => {
        if (socket.writable) socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...answer })}\n`)
      })
    }),
  )
}

/** Listens on a Unix socket that only our user can open, and hands over each connection; throws where another process listens. */
export async function serveSocket(
  path: string,
  connectionsMax: number,
  take: (socket: Socket) => void,
): Promise<{ close(): Promise<void> }> {
  await assertUnserved(path)
  rmSync(path, { force: true })
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    take(socket)
  })
  server.maxConnections = connectionsMax
  const before = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(path, resolve)
    })
  } finally {
    process.umask(before)
  }
  chmodSync(path, 0o600)
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Throws where another process serves the socket. */
export async function assertUnserved(path: string): Promise<void> {
  if (await isServed(path)) throw new Error(`another process serves ${path}`)
}

/** Whether a process takes connections at the socket. */
export function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const answer = (served: boolean) => {
      socket.destroy()
      resolve(served)
    }
    socket.once('connect', () => answer(true)).once('error', () => answer(false))
  })
}

type Answer =
  | { id: number; result: object }
  | { id: number | null; error: { code: number; message: string } }

async function answerTo(
  line: string,
  methods: Methods,
  onRefusal: (method: string, error: Error) => void,
): Promise<Answer> {
  const request = read(line)
  if (request === undefined) return failure(null, 'malformed', 'no JSON-RPC 2.0 request')
  const { id, method, params } = request
  const run = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (run === undefined) return failure(id, 'unknown_method', `no method ${method}`)
  try {
    return { id, result: await run(params) }
  } catch (error) {
    onRefusal(method, error as Error)
    if (error instanceof SignerRefusal) return failure(id, error.kind, error.message)
    if (error instanceof z.ZodError) return failure(id, 'invalid', 'the parameters are not valid')
    return failure(id, 'failed', 'the signer failed')
  }
}

const failure = (id: number | null, kind: RpcError, message: string): Answer => ({
  id,
  error: { code: rpcErrors[kind], message },
})

function read(line: string): z.output<typeof requestSchema> | undefined {
  try {
    return requestSchema.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}
