import { EventEmitter } from 'node:events'
import pg from 'pg'
import { CHANGES_CHANNEL } from './notify.ts'

/**
 * Waits for a change of an id. `true` as soon as it is notified, `false` after the timeout, so that a lost
 * notification is harmless. `notified` returns the text after the id, which may be empty, or undefined after the
 * timeout.
 */
export type Changes = {
  wait(id: string, ms: number): Promise<boolean>
  notified(id: string, ms: number): Promise<string | undefined>
  /** Calls the listener with each id that is notified, until the returned function is called. */
  subscribe(listener: (id: string) => void): () => void
  close(): Promise<void>
}

/** Calls `look` again at each change of this id until it returns something. Undefined after the timeout. */
export async function lookUntil<T>(
  changes: Pick<Changes, 'wait'>,
  id: string,
  ms: number,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const until = performance.now() + ms
  for (;;) {
    const found = await look()
    const left = until - performance.now()
    if (found !== undefined || left <= 0) return found
    await changes.wait(id, left)
  }
}

const ANY = Symbol('any id')

/** One listening connection for the process. It reconnects by itself. */
export function createChanges(databaseUrl: string, pollMs = 500): Changes {
  const emitter = new EventEmitter().setMaxListeners(0)
  let client: pg.Client | undefined
  let closed = false
  let reconnect: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    if (closed) return
    const next = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: 1000,
      keepAlive: true,
      application_name: 'agent-rails changes',
    })
    const lost = (): void => {
      if (client !== next) return
      client = undefined
      next.end().catch(() => undefined)
      reconnect = setTimeout(() => void connect(), 500).unref()
    }
    client = next
    next.on('error', lost)
    next.on('end', lost)
    next.on('notification', ({ payload = '' }) => {
      const [id = ''] = payload.split(' ', 1)
      emitter.emit(id, payload.slice(id.length + 1))
      emitter.emit(ANY, id)
    })
    await next
      .connect()
      .then(() => next.query(`listen ${CHANGES_CHANNEL}`))
      .catch(lost)
  }
  void connect()

  const notified: Changes['notified'] = (id, ms) =>
    new Promise((resolve) => {
      const end = (more?: string): void => {
        clearTimeout(timer)
        emitter.off(id, end)
        resolve(more)
      }
      const timer = setTimeout(end, Math.max(0, Math.min(ms, pollMs)))
      emitter.on(id, end)
    })
  return {
    notified,
    subscribe: (listener) => {
      emitter.on(ANY, listener)
      return () => emitter.off(ANY, listener)
    },
    wait: async (id, ms) => (await notified(id, ms)) !== undefined,
    close: async () => {
      closed = true
      clearTimeout(reconnect)
      await client?.end().catch(() => undefined)
    },
  }
}
