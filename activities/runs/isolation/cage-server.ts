import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { DomainError } from '#domain/core/errors.ts'
import { serveSocket } from '../../signer/serve.ts'
import { type Failure, jobFrame } from './cage-client.ts'
import { frame, readFrames, readPiece, sendFrame } from './cage-frames.ts'
import { FILE, type Job } from './job.ts'
import type { openPerformers } from './pools.ts'
import { ChildDied, NotBegun } from './rail-pool.ts'

type Pools = ReturnType<typeof openPerformers>

const CONNECTIONS_MAX = 512
const MESSAGE_CHARS_MAX = 1_000

/** Serves the pools on a Unix socket that only our user can open; throws where another process serves it. */
export const serveCage = (path: string, pools: Pools): Promise<{ close(): Promise<void> }> =>
  serveSocket(path, CONNECTIONS_MAX, (socket) => serveJob(socket, pools))

/** Does the one job of a connection; its end stops the work. */
function serveJob(socket: Socket, pools: Pools): void {
  const stop = new AbortController()
  socket.once('close', () => stop.abort(new Error('the connection has ended')))
  const lists = new ListsOf(socket)
  let begun = false
  readFrames(socket, (kind, payload) => {
    if (kind === frame.piece) {
      const { list, bytes } = readPiece(payload)
      lists.give(list, bytes)
    } else if (kind === frame.end) lists.give(payload.toString(), null)
    else if (kind === frame.job && !begun) {
      begun = true
      void answerJob({ socket, pools, lists, signal: stop.signal }, payload)
    } else socket.destroy()
  })
}

/** The lists of a job, whose pieces are asked for one by one. */
class ListsOf {
  readonly #waiting = new Map<string, (piece: Buffer | null) => void>()
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
  }

  give(list: string, piece: Buffer | null): void {
    const take = this.#waiting.get(list)
    this.#waiting.delete(list)
    take?.(piece)
  }

  streamOf(list: string): Readable {
    return Readable.from(this.#pieces(list), { objectMode: false, highWaterMark: 1 })
  }

  async *#pieces(list: string): AsyncGenerator<Buffer> {
    for (;;) {
      const next = new Promise<Buffer | null>((resolve) => this.#waiting.set(list, resolve))
      await sendFrame(this.#socket, frame.wants, list)
      const piece = await next
      if (piece === null) return
      yield piece
    }
  }
}

type Serving = { socket: Socket; pools: Pools; lists: ListsOf; signal: AbortSignal }

async function answerJob(serving: Serving, payload: Buffer): Promise<void> {
  const { socket, pools, lists, signal } = serving
  const quietly = (sent: Promise<void>) => void sent.catch(() => socket.destroy())
  const outcome = async (): Promise<[kind: 'A' | 'R' | 'F', text: string]> => {
    try {
      const { pool, place, job: asked } = jobFrame.parse(JSON.parse(payload.toString()))
      const job = asked as unknown as Job
      const json = await pools[pool].perform(job, place, {
        streams: streamsOf(job, lists),
        signal,
        begun: () => quietly(sendFrame(socket, frame.started)),
        spend: (cpuMs) => quietly(sendFrame(socket, frame.spent, String(Math.round(cpuMs)))),
      })
      return [frame.answer, json]
    } catch (error) {
      return failed(error)
    }
  }
  const [kind, text] = await outcome()
  quietly(sendFrame(socket, kind, text).then(() => void socket.end()))
}

function streamsOf(job: Job, lists: ListsOf): Record<string, Readable> {
  if (job.kind === 'draft') return {}
  const names = job.kind === 'extract' ? [FILE] : Object.keys(job.lists)
  return Object.fromEntries(names.map((list) => [list, lists.streamOf(list)]))
}

function failed(error: unknown): [kind: 'R' | 'F', text: string] {
  if (error instanceof DomainError) {
    const { code, detail } = error.refusal
    return [frame.refusal, JSON.stringify({ code, detail })]
  }
  const { message } = error as Error
  const failure: Failure = { kind: kindOf(error), message: message.slice(0, MESSAGE_CHARS_MAX) }
  return [frame.failure, JSON.stringify(failure)]
}

function kindOf(error: unknown): Failure['kind'] {
  if (error instanceof ChildDied) return 'died'
  return error instanceof NotBegun ? 'not_begun' : 'failed'
}
