import { connect, type Socket } from 'node:net'
import type { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { OtherHead } from '../keys/compact.ts'
import { readLines } from './lines.ts'
import { responseSchema, rpcErrors } from './protocol.ts'

/** A connection to the signer; it is opened at the first call and again after it was lost. */
export type SignerConnection = {
  /** Throws 503 `unavailable` when no answer comes within five seconds, the budget is used up or a module does not answer, and an error when the signer refuses. */
  call<T>(method: string, params: object, answer: z.ZodType<T>): Promise<T>
}

const ANSWER_WITHIN_MS = 5_000

type Pending = { resolve(result: unknown): void; reject(error: Error): void }

const connections = new Map<string, SignerConnection>()

/** The one connection of this process to the socket. */
export function connectSigner(path: string): SignerConnection {
  const known = connections.get(path) ?? openConnection(path)
  connections.set(path, known)
  return known
}

function openConnection(path: string): SignerConnection {
  const pending = new Map<number, Pending>()
  let socket: Socket | undefined
  let lastId = 0

  const settle = (id: number, act: (pending: Pending) => void): void => {
    const one = pending.get(id)
    pending.delete(id)
    // An idle connection does not keep a command of the CLI from ending.
    if (pending.size === 0) socket?.unref()
    if (one !== undefined) act(one)
  }
  const open = (): Socket => {
    const opened = connect(path)
    const lost = (error?: Error) => {
      if (socket !== opened) return
      socket = undefined
      for (const id of [...pending.keys()]) settle(id, ({ reject }) => reject(unavailable(error)))
    }
    opened.on('error', lost).on('close', () => lost())
    readLines(opened, (line) => {
      const response = read(line)
      if (response === undefined || response.id === null) return opened.destroy()
      return settle(response.id, ({ resolve, reject }) =>
        'error' in response ? reject(errorOf(response.error)) : resolve(response.result),
      )
    })
    return opened
  }

  return {
    call: async (method, params, answer) => {
      socket ??= open()
      socket.ref()
      const id = ++lastId
      const result = await new Promise<unknown>((resolve, reject) => {
        const timer = setTimeout(
          () => settle(id, ({ reject }) => reject(unavailable())),
          ANSWER_WITHIN_MS,
        )
        const ended =
          <A>(end: (value: A) => void) =>
          (value: A) => {
            clearTimeout(timer)
            end(value)
          }
        pending.set(id, { resolve: ended(resolve), reject: ended(reject) })
        socket?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      })
      return answer.parse(result)
    },
  }
}

function read(line: string): z.output<typeof responseSchema> | undefined {
  try {
    return responseSchema.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

function errorOf({ code, message }: { code: number; message: string }): Error {
  if (code === rpcErrors.over_budget || code === rpcErrors.unavailable)
    return refuse('unavailable', { detail: message })
  if (code === rpcErrors.other_head) return new OtherHead(Number(message))
  return new Error(`the signer refuses: ${message}`)
}

const unavailable = (cause?: Error): Error =>
  Object.assign(refuse('unavailable', { detail: 'the signer does not answer' }), { cause })
