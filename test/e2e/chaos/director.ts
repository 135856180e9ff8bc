import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Order } from './activity-faults.ts'
import type { ActivityFault } from './schedule.ts'
import type { Tally } from './tally.ts'

/** What is done after an activity and changes nothing of its result. */
const AFTERWARDS = { boundary: 'after', action: 'pass', request: 1, effect: 'done' } as const
const ENDS_WITHIN_MS = 15_000

type Asked = { activity: string; argument: unknown }
type Armed = { fault: ActivityFault; seen: number; open: boolean; anybodys: boolean }

/** Gives the workers the fault of each activity; it outlives them, so a fault strikes once however often a worker is killed. */
export type Director = {
  url: string
  /** Every activity that a worker has registered, sorted. */
  activities(): string[]
  arm(run: number, fault: ActivityFault): void
  /** A run that is over leaves what has not struck it to the others. */
  release(run: number): void
  /** Resolves when everything armed has struck, or the time is up. */
  spent(withinMs: number): Promise<void>
  /** What is armed and has not struck. */
  unspent(): string[]
  /** Does this between the end of the next such activity and its result, which its worker sends to Temporal only afterwards. */
  beforeResult(activities: readonly string[], act: () => Promise<unknown>): Promise<void>
  disarm(): void
  close(): Promise<void>
}

/** `runOf` says whose payout or payment an activity is about; one about neither may be hit by any fault. */
export async function startDirector(
  runOf: (subject: string) => Promise<number | undefined>,
  tally: Tally,
): Promise<Director> {
  const armed = new Map<string, Armed>()
  const registered = new Set<string>()
  let disarmed = false
  const results = new Results()

  const begins = async ({ activity, argument }: Asked): Promise<Order> => {
    if (disarmed) return null
    const token = results.tokenOf(activity)
    if (token !== undefined) return { token, fault: AFTERWARDS }
    const subject = subjectOf(argument)
    const run = subject === undefined ? undefined : await runOf(subject)
    for (const [token, entry] of armed) {
      if (!entry.open || entry.fault.activity !== activity) continue
      if (run !== undefined && token !== String(run) && !entry.anybodys) continue
      entry.seen += 1
      if (entry.seen < entry.fault.occurrence) return null
      const { boundary, action, effect } = entry.fault
      // An execution may have fewer requests than were foreseen: each further one is struck earlier.
      const request = Math.max(1, entry.fault.request - (entry.seen - entry.fault.occurrence))
      return { token, fault: { boundary, action, effect, request } }
    }
    return null
  }
  const strikes = async ({ token }: { token: string }): Promise<void> => {
    await results.strike(token)
    const entry = armed.get(token)
    if (entry?.open) {
      entry.open = false
      const { activity, boundary, action } = entry.fault
      tally.count(`${boundary} ${activity}: ${action}`)
    }
  }

  const unspent = () =>
    [...armed.values()].flatMap(({ open, fault }) =>
      open ? [`${fault.boundary} ${fault.activity}`] : [],
    )

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const answer = request.url === '/begins' ? await begins(body).catch(() => null) : null
    if (request.url === '/strikes') await strikes(body).catch(() => undefined)
    if (request.url === '/registers') for (const name of body as string[]) registered.add(name)
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    activities: () => [...registered].sort(),
    arm: (run, fault) =>
      void armed.set(String(run), { fault, seen: 0, open: true, anybodys: false }),
    release: (run) => {
      const entry = armed.get(String(run))
      if (entry !== undefined) entry.anybodys = true
    },
    spent: async (withinMs) => {
      const until = Date.now() + withinMs
      while (unspent().length > 0 && Date.now() < until) await sleep(200)
    },
    unspent,
    beforeResult: (activities, act) => results.before(activities, act),
    disarm: () => {
      disarmed = true
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** What is done before the next result of some activities reaches Temporal; one at a time. */
class Results {
  #awaited:
    | { activities: readonly string[]; token: string; strike: () => Promise<void> }
    | undefined
  #count = 0

  /** Of the order for this activity, if its result is awaited. */
  tokenOf(activity: string): string | undefined {
    return this.#awaited?.activities.includes(activity) ? this.#awaited.token : undefined
  }

  async strike(token: string): Promise<void> {
    if (token !== this.#awaited?.token) return
    const { strike } = this.#awaited
    this.#awaited = undefined
    await strike()
  }

  before(activities: readonly string[], act: () => Promise<unknown>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#count += 1
      const noneEnds = setTimeout(() => {
        this.#awaited = undefined
        reject(new Error(`none of ${activities.join(', ')} has ended`))
      }, ENDS_WITHIN_MS)
      const strike = () => {
        clearTimeout(noneEnds)
        return act().then(() => resolve(), reject)
      }
      this.#awaited = { activities, token: `result ${this.#count}`, strike }
    })
  }
}

function subjectOf(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument
  if (typeof argument !== 'object' || argument === null) return undefined
  const { payoutId, paymentId } = argument as Record<string, unknown>
  const subject = payoutId ?? paymentId
  return typeof subject === 'string' ? subject : undefined
}
