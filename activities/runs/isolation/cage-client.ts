import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { frame, pieceOf, readFrames, sendFrame } from './cage-frames.ts'
import { ANSWER_CHARS_MAX, tooComplex } from './job.ts'
import { ChildDied, type Doing, NotBegun, type Perform } from './rail-pool.ts'

/** What the cage is asked for, apart from the job itself. */
export const jobFrame = z.strictObject({
  pool: z.enum(['trusted', 'strangers', 'public']),
  place: z.strictObject({ queue: z.string().max(200), apart: z.boolean() }),
  job: z.looseObject({ kind: z.string() }),
})
/** What the cage may refuse: it says nothing about money, trust or any record. */
const refusalFrame = z.object({
  code: z.enum(['input_rejected', 'input_too_complex']),
  detail: z.string().max(4_000),
})
const failureFrame = z.strictObject({
  kind: z.enum(['died', 'not_begun', 'failed']),
  message: z.string().max(4_000),
})
export type Failure = z.output<typeof failureFrame>

export type PoolName = z.output<typeof jobFrame>['pool']

/** How long a job waits for a cage that starts, or starts again; a call does not wait. */
const CONNECT_WITHIN_MS: Record<PoolName, number> = {
  trusted: 60_000,
  strangers: 60_000,
  public: 1_000,
}
const RETRY_MS = 100

/** A pool of the cage: it gets bytes and answers with bytes, which are read as a stranger's. */
export const cagePool =
  (path: string, pool: PoolName): Perform =>
  async (job, place, doing) => {
    let socket: Socket | undefined
    try {
      socket = await connected(path, CONNECT_WITHIN_MS[pool], doing.signal)
      return await answerOf(socket, JSON.stringify({ pool, place, job }), doing)
    } finally {
      socket?.destroy()
      for (const stream of Object.values(doing.streams)) stream.destroy()
    }
  }

async function connected(
  path: string,
  withinMs: number,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  const until = performance.now() + withinMs
  for (;;) {
    signal?.throwIfAborted()
    const socket = connect(path)
    const problem = await new Promise<Error | undefined>((resolve) => {
      socket.once('connect', () => resolve(undefined)).once('error', resolve)
    })
    if (problem === undefined) return socket
    socket.destroy()
    if (performance.now() > until)
      throw new NotBegun(`the cage does not answer: ${problem.message}`)
    await sleep(RETRY_MS)
  }
}

/** Sends the job and the pieces that are asked for; resolves with the answer as JSON text. */
function answerOf(socket: Socket, job: string, doing: Doing): Promise<string> {
  const { streams, signal, spend } = doing
  const pieces = new Map(
    Object.entries(streams).map(([list, stream]) => [list, stream[Symbol.asyncIterator]()]),
  )
  let begun = false
  const give = async (list: string): Promise<void> => {
    const next = await pieces.get(list)?.next()
    if (next === undefined) throw new Error('the cage asks for an unknown list')
    if (next.done === true) await sendFrame(socket, frame.end, list)
    else await sendFrame(socket, frame.piece, pieceOf(list, next.value))
  }
  return new Promise((resolve, reject) => {
    const cancel = () => reject(signal?.reason)
    const lost = (error?: Error) => {
      const why = error?.message ?? 'the cage ended the connection'
      reject(begun ? new ChildDied(why) : new NotBegun(why))
    }
    const take = (kind: string, payload: Buffer): void => {
      if (kind === frame.started) {
        begun = true
        doing.begun?.()
      } else if (kind === frame.wants) give(payload.toString()).catch(reject)
      else if (kind === frame.spent) spend?.(spentOf(payload))
      else if (kind === frame.answer) resolve(textOf(payload))
      else if (kind === frame.refusal) reject(refusalOf(payload))
      else if (kind === frame.failure) reject(failureOf(payload))
    }
    readFrames(socket, (kind, payload) => {
      try {
        take(kind, payload)
      } catch {
        reject(new ChildDied('the cage answered with something else than its protocol'))
      }
    })
    signal?.addEventListener('abort', cancel, { once: true })
    socket.once('close', () => {
      signal?.removeEventListener('abort', cancel)
      lost()
    })
    socket.once('error', lost)
    sendFrame(socket, frame.job, job).catch(lost)
  })
}

/** The processor time that the cage names: no less than nothing, and no more than an hour. */
const spentOf = (payload: Buffer): number =>
  Math.min(3_600_000, Math.max(0, Number(payload.toString()) || 0))

function textOf(payload: Buffer): string {
  const text = payload.toString('utf8')
  if (text.length > ANSWER_CHARS_MAX)
    throw tooComplex(`the result has more than ${ANSWER_CHARS_MAX} characters`)
  return text
}

function refusalOf(payload: Buffer): DomainError {
  const { code, detail } = refusalFrame.parse(JSON.parse(payload.toString()))
  return code === 'input_too_complex' ? tooComplex(detail) : refuse(code, { detail })
}

function failureOf(payload: Buffer): Error {
  const { kind, message } = failureFrame.parse(JSON.parse(payload.toString()))
  if (kind === 'died') return new ChildDied(message)
  return kind === 'not_begun' ? new NotBegun(message) : new Error(message)
}
