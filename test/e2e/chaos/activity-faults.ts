import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import pg from 'pg'
import type { Action, ActivityFault } from './schedule.ts'

/** What the director answers a worker that begins an activity. */
export type Order = {
  token: string
  fault: Pick<ActivityFault, 'boundary' | 'action' | 'request' | 'effect'>
} | null

/** Longer than the times of fast-timing.ts allow, so that Temporal has given the step to another worker when it continues. */
const HANG_MS = 5_500

type Running = {
  fault: NonNullable<Order>['fault']
  requests: number
  act: (cut: () => void) => Promise<void>
}
const running = new AsyncLocalStorage<Running>()
const honestFetch = globalThis.fetch

/** Says something to the director, past every fault. */
export async function notifyDirector(
  director: string,
  path: string,
  body: object,
): Promise<unknown> {
  return (
    await honestFetch(`${director}/${path}`, { method: 'POST', body: JSON.stringify(body) })
  ).json()
}

/** Asks the director at the start of each activity, local ones too, what is to go wrong with it; and does it. */
export function activityFaults(director: string): ActivityInterceptorsFactory {
  interceptFetch()
  interceptStatements()
  return ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        const asked = { activity: info.activityType, argument: input.args[0] ?? null }
        const order = (await notifyDirector(director, 'begins', asked).catch(() => null)) as Order
        if (order === null) return next(input)
        const { token, fault } = order
        const act = async (cut: () => void) => {
          await notifyDirector(director, 'strikes', { token })
          await strike(fault.action, cut)
        }
        if (fault.boundary === 'before') await act(fail)
        const result = await running.run({ fault, requests: 0, act }, () => next(input))
        if (fault.boundary === 'after') await act(fail)
        return result
      },
    },
  })
}

const fail = (): never => {
  throw new Error('a fault was injected at an activity')
}

async function strike(action: Action, cut: () => void): Promise<void> {
  if (action === 'kill') {
    process.kill(process.pid, 'SIGKILL')
    await sleep(1_000)
  }
  if (action === 'hang') await sleep(HANG_MS)
  if (action === 'throw') cut()
}

/** Whether this request is the one that the order names, and when in its course it is struck. */
function strikesNow(): { order: Running; effect: 'unsent' | 'done' } | undefined {
  const order = running.getStore()
  if (order === undefined || order.fault.boundary !== 'during') return undefined
  order.requests += 1
  return order.requests === order.fault.request ? { order, effect: order.fault.effect } : undefined
}

function interceptFetch(): void {
  globalThis.fetch = (async (input: string, init?: RequestInit) => {
    const now = strikesNow()
    const cut = () => {
      throw new TypeError('fetch failed: a fault was injected')
    }
    if (now?.effect === 'unsent') await now.order.act(cut)
    const answer = await honestFetch(input, init)
    if (now?.effect === 'done') await now.order.act(cut)
    return answer
  }) as typeof fetch
}

/**
 * A statement that is struck loses its connection, as when the server dies: what it did is not known to its caller. Statements
 * travel together, so those behind one that is held back wait for it.
 */
function interceptStatements(): void {
  const query = pg.Client.prototype.query as (
    this: pg.Client,
    ...args: unknown[]
  ) => Promise<unknown>
  const held = new WeakMap<pg.Client, Promise<void>>()
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
    if (typeof args.at(-1) === 'function') return query.apply(this, args)
    const now = strikesNow()
    const cut = () => {
      ;(
        this as unknown as { connection: { stream: { destroy(): void } } }
      ).connection.stream.destroy()
      throw Object.assign(new Error('a fault was injected at a statement'), { code: 'ECONNRESET' })
    }
    if (now?.effect === 'unsent') held.set(this, now.order.act(cut))
    const before = held.get(this)
    const sent =
      before === undefined ? query.apply(this, args) : before.then(() => query.apply(this, args))
    return now?.effect === 'done'
      ? sent.then((result) => now.order.act(cut).then(() => result))
      : sent
  } as typeof pg.Client.prototype.query

  // A pool's own query speaks to its client in a callback, where the owner of the statement is unknown.
  const poolQuery = pg.Pool.prototype.query as (this: pg.Pool, ...args: unknown[]) => unknown
  pg.Pool.prototype.query = function (this: pg.Pool, ...args: unknown[]): unknown {
    if (running.getStore() === undefined || typeof args.at(-1) === 'function')
      return poolQuery.apply(this, args)
    const borrow = async () => {
      const client = await this.connect()
      let failed = true
      try {
        const result = await client.query(...(args as [string]))
        failed = false
        return result
      } finally {
        client.release(failed)
      }
    }
    return borrow()
  } as typeof pg.Pool.prototype.query
}
