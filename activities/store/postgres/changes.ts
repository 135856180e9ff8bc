import { EventEmitter } from 'node:events'
import { sql } from 'kysely'
import pg from 'pg'
import type { Tx } from './db.ts'

/**
 * Waits for a change of an id. `true` as soon as it is notified, `false` after the timeout, so that a lost
 * notification is harmless. Every role of the server may notify any text, so a notification only says that it is time to read the row.
 */
export type Changes = {
  wait(id: string, ms: number): Promise<boolean>
  /** Calls the listener with each text in the form of an id that is notified, until the returned function is called. */
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
/** The prefix keeps a notified text apart from the emitter's own events, such as `error`, which throws. */
const eventOf = (id: string): string => `id:${id}`
const CHANGED_ID = /^[\w-]{1,100}$/

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
    next.on('notification', ({ payload: id = '' }) => {
      emitter.emit(eventOf(id))
      if (CHANGED_ID.test(id)) emitter.emit(ANY, id)
    })
    await next
      .connect()
      .then(() => next.query(`listen ${CHANGES_CHANNEL}`))
      .catch(lost)
  }
  void connect()

  const wait: Changes['wait'] = (id, ms) =>
    new Promise((resolve) => {
      const end = (changed: boolean): void => {
        clearTimeout(timer)
        emitter.off(eventOf(id), notified)
        resolve(changed)
      }
      const notified = () => end(true)
      const timer = setTimeout(end, Math.max(0, Math.min(ms, pollMs)), false)
      emitter.on(eventOf(id), notified)
    })
  return {
    wait,
    subscribe: (listener) => {
      emitter.on(ANY, listener)
      return () => emitter.off(ANY, listener)
    },
    close: async () => {
      closed = true
      clearTimeout(reconnect)
      await client?.end().catch(() => undefined)
    },
  }
}

/** The only Postgres channel. Its payload is the id of what changed and nothing else, because every role can listen and notify. */
export const CHANGES_CHANNEL = 'agent_rails_changes'

/** Wakes every process that waits for `id` when the transaction commits. */
export async function notifyChanged(tx: Tx, id: string): Promise<void> {
  await sql`select pg_notify(${CHANGES_CHANNEL}, ${id})`.execute(tx)
}
