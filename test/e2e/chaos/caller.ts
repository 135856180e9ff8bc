import { setTimeout as sleep } from 'node:timers/promises'
import type { Address } from 'viem'
import {
  type Client,
  createClient,
  type InputOf,
  type OperationId,
  type OutputOf,
  ProblemError,
} from '../../../api/http/client.ts'
import { openPayingAgent } from '../../../worker/stack/paying-agent.ts'
import type { Payout, Treasury } from '../../../worker/stack/treasury.ts'
import type { RunIdentity } from './identity.ts'
import type { CallRecord, RunRecord } from './run-record.ts'
import type { RunPlan } from './schedule.ts'

/** What a caller knows of the service: its API processes, which all speak for one origin, and the treasury's services. */
export type Service = {
  baseUrls: readonly string[]
  origin: string
  asset: Address
  treasuries: readonly Treasury[]
  /** Makes the payout's workflow read again, as an operator does; sometimes nothing hears it. */
  wake: (payoutId: string) => Promise<void>
  /** When callers give up, in Unix milliseconds; it comes nearer once everything is mended. */
  giveUpAt: () => number
  begunAt: number
}

/** Free calls are counted for a client address; those who pay share one that has none left. */
const FREE_ADDRESS = (index: number) =>
  `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
export const PAYING_ADDRESS = '192.0.2.1'
const ANSWER_WITHIN_MS = 15_000
const AGAIN_MS = 200
/** Every byte between the parts passes this process: callers that ask more often than this slow down what they wait for. */
const LATER_MS = 5_000
/** An expiring payout is authorized for this long: its execute has to come before that, however slow the faults make it. */
const SHORT_LIFE_S = 90

type Outcome = { final: boolean; body?: unknown }

/** Plays one run as an agent does: create, authorize, execute, each with one key and again until there is a last word. */
export async function playRun(
  service: Service,
  plan: RunPlan,
  identity: RunIdentity,
  record: RunRecord,
): Promise<void> {
  const caller = openCaller(service, plan, identity, record)
  await sleep(Math.max(0, service.begunAt + plan.startMs - Date.now()))
  const created = await caller.insist('payout-create', identity.createKey, {
    recipient: identity.recipient,
    amount_usdc: decimal(plan.amountAtomic),
    idempotency_key: identity.createKey,
    memo: `run ${plan.index}`,
    rail_reference: 'chaos',
    usage: 'synthetic',
  })
  if (created === undefined) return
  const lifeS = plan.fault === 'expiry while pending' ? SHORT_LIFE_S : 3_600
  const input = await authorization(service, created.payout, identity.authorizeKey, lifeS)
  if (input === undefined) return
  const authorized = await caller.insist('payout-authorize', identity.authorizeKey, input)
  if (authorized === undefined) return
  const { payout_id } = created.payout
  if (plan.activityFault?.activity === 'loadPayout') await service.wake(payout_id)
  await caller.insist('payout-execute', identity.executeKey, {
    payout_id,
    idempotency_key: identity.executeKey,
  })
}

/** Everything that authorize takes, made once: a repeat has to present the same. */
async function authorization(
  service: Service,
  payout: Payout,
  idempotencyKey: string,
  lifeS: number,
) {
  const expiresAt = Math.floor(Date.now() / 1000) + lifeS
  for (let attempt = 0; Date.now() < service.giveUpAt(); attempt++) {
    const treasury = service.treasuries[attempt % service.treasuries.length]
    const input = await treasury
      ?.authorize(payout, { expiresAt, idempotencyKey })
      .catch(() => undefined)
    if (input !== undefined) return input
    await sleep(AGAIN_MS)
  }
  return undefined
}

function openCaller(
  service: Service,
  plan: RunPlan,
  { account, privateKey }: RunIdentity,
  record: RunRecord,
) {
  const address = plan.pays ? PAYING_ADDRESS : FREE_ADDRESS(plan.index)
  const send = ((url: string | Request, init?: RequestInit) => {
    const request = new Request(url, init)
    request.headers.set('X-Forwarded-For', address)
    return fetch(request)
  }) as typeof fetch
  const { origin, asset } = service
  const clients = service.baseUrls.map((baseUrl) =>
    plan.pays
      ? openPayingAgent({ baseUrl, origin, privateKey, asset, send }).client
      : createClient({ baseUrl, origin, wallet: account, fetch: send }),
  )

  /** One request; what came back stands in the record. */
  const ask = async <Id extends OperationId>(
    client: Client,
    id: Id,
    input: InputOf<Id>,
    call: CallRecord,
    withinMs: number,
  ): Promise<Outcome> => {
    const askedMs = Date.now()
    const hears = (status: number, body: unknown, replayed: boolean, final: boolean): Outcome => {
      call.answers.push({ status, body, replayed, askedMs, atMs: Date.now() })
      return { final, body }
    }
    try {
      const answer = await client.call(id, input, { signal: AbortSignal.timeout(withinMs) })
      const { status, body, replayed } = answer
      const isLeft = plan.leaves && id === 'payout-execute'
      return hears(status, body, replayed, status !== 202 || isLeft || isHeld(body))
    } catch (error) {
      if (!(error instanceof ProblemError)) return { final: false }
      const { problem } = error
      const isOver = !problem.retryable && problem.status !== 402
      return {
        final: hears(
          problem.status,
          problem,
          false,
          isOver || problem.code === 'daily_cap_exceeded',
        ).final,
      }
    }
  }

  return {
    /** The body of the final answer; undefined when the call was refused for good, or the time is up. */
    insist: async <Id extends OperationId>(
      id: Id,
      key: string,
      input: InputOf<Id>,
    ): Promise<OutputOf<Id> | undefined> => {
      const call: CallRecord = { operation: id, key, answers: [] }
      record.calls.push(call)
      for (let attempt = 0; Date.now() < service.giveUpAt(); attempt++) {
        const one = clients[(plan.index + attempt) % clients.length] as Client
        const hangsUp = attempt === 0 && plan.hangsUpMs !== null ? plan.hangsUpMs : ANSWER_WITHIN_MS
        const asked = plan.twice ? clients : [one]
        const outcomes = await Promise.all(
          asked.map((client) => ask(client, id, input, call, hangsUp)),
        )
        const last = outcomes.find(({ final }) => final)
        if (last === undefined) {
          await sleep(Math.min(AGAIN_MS * 2 ** attempt, LATER_MS))
          continue
        }
        // An agent that crashed after its answer asks once more.
        if (plan.hangsUpMs !== null && !plan.leaves)
          await ask(one, id, input, call, ANSWER_WITHIN_MS)
        return last.body as OutputOf<Id> | undefined
      }
      return undefined
    },
  }
}

/** Whether an operator has to decide now: no repeat of the caller's changes that. */
const isHeld = (body: object): boolean =>
  'payout' in body &&
  (body.payout as Payout).next_action.startsWith('Waiting for an operator to resolve')

/** Atomic units as the text that create takes. */
const decimal = (atomic: number): string => (atomic / 1_000_000).toFixed(6)
