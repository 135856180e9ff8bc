import { fork } from 'node:child_process'
import { join } from 'node:path'

type Answer = { id: number; value?: unknown; error?: string }
type Verbs = Record<string, (input: never) => Promise<unknown>>

/** A process of the bench's own, with verbs that it is asked for. */
export type Child = {
  pid: number
  ask<T>(verb: string, input?: unknown): Promise<T>
  stop(): Promise<void>
}

/** Starts a program of this folder; it is ready to be asked at once. */
export function startChild(program: string, execArgv: readonly string[] = []): Child {
  const child = fork(join(import.meta.dirname, program), {
    execArgv: [...execArgv],
    stdio: 'inherit',
  })
  const waiting = new Map<
    number,
    { resolve: (value: never) => void; reject: (error: Error) => void }
  >()
  let last = 0
  child.on('message', ({ id, value, error }: Answer) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) asked?.resolve(value as never)
    else asked?.reject(new Error(`${program}: ${error}`))
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code) => {
      for (const { reject } of waiting.values()) reject(new Error(`${program} ended with ${code}`))
      resolve()
    })
  })
  return {
    pid: child.pid ?? 0,
    ask: (verb, input) =>
      new Promise((resolve, reject) => {
        last += 1
        waiting.set(last, { resolve, reject })
        child.send({ id: last, verb, input })
      }),
    stop: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** The other side of `startChild`: answers what is asked until the parent lets go. */
export function serveParent(
  verbs: Verbs,
  close: () => Promise<void> = async () => undefined,
): void {
  process.on('message', async ({ id, verb, input }: { id: number; verb: string; input: never }) => {
    const answer: Answer = await Promise.resolve(verbs[verb]?.(input)).then(
      (value) => ({ id, value }),
      (error: unknown) => ({
        id,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
    )
    process.send?.(answer)
  })
  process.on('disconnect', () => void close().finally(() => process.exit()))
}
