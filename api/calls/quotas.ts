import type { Pool } from 'pg'
import { refuse } from '#domain/core/errors.ts'
import type { Config } from '../../activities/config/config.ts'
import { createLimiter } from '../../activities/store/calls/rate-limits.ts'
import type { Uses } from '../operation.ts'
import type { CallerTicket } from './tickets.ts'

/**
 * Who uses it; `trusted` is an operator, or an agent that is trusted and no sandbox. What the service carries out for an agent has
 * no address.
 */
export type User = {
  readonly agentId: string | undefined
  readonly address: string
  readonly trusted: boolean
}
export type Quotas = { take(uses: Uses, user: User): Promise<CallerTicket> }

const DAY_SECONDS = 24 * 3600

/**
 * Daily quotas, counted in Postgres over all processes: of each agent, of each client address of callers without trust, and in total.
 * Trusted callers have a total of their own, which no one else can exhaust; their requests of callbacks are counted only when they
 * are sent.
 */
export function createQuotas(pool: Pool, config: Config): Quotas {
  const numbers = {
    registrations: config.QUOTA_REGISTRATIONS_PER_DAY,
    tasks: config.QUOTA_TASKS_PER_DAY,
    workflows: config.QUOTA_WORKFLOWS_PER_DAY,
    candidates: config.QUOTA_CANDIDATES_PER_DAY,
    pilots: config.QUOTA_PILOTS_PER_DAY,
    analyses: config.QUOTA_ANALYSES_PER_DAY,
    records: config.QUOTA_RECORDS_PER_DAY,
    posts: config.QUOTA_POSTS_PER_DAY,
    kib: config.QUOTA_KIB_PER_DAY,
  } satisfies Record<keyof Uses, unknown>
  const limiterOf = (use: keyof Uses, share: keyof Config['QUOTA_TASKS_PER_DAY']) =>
    createLimiter(pool, `quota-${use}-${share}`, numbers[use][share], DAY_SECONDS)
  const limitersOf = (use: keyof Uses) => ({
    agent: limiterOf(use, 'agent'),
    address: limiterOf(use, 'address'),
    untrusted: limiterOf(use, 'untrusted'),
    trusted: limiterOf(use, 'trusted'),
  })
  const limiters = {
    registrations: limitersOf('registrations'),
    tasks: limitersOf('tasks'),
    workflows: limitersOf('workflows'),
    candidates: limitersOf('candidates'),
    pilots: limitersOf('pilots'),
    analyses: limitersOf('analyses'),
    records: limitersOf('records'),
    posts: limitersOf('posts'),
    kib: limitersOf('kib'),
  } satisfies Record<keyof Uses, unknown>

  return {
    take: async (uses, { agentId, address, trusted }) => {
      const isCounted = ([use, amount]: [string, number]) =>
        amount > 0 && !(trusted && use === 'posts')
      const wanted = Object.entries(uses).filter(isCounted) as [keyof Uses, number][]
      const tickets = await Promise.all(
        wanted.flatMap(([use, amount]) => [
          ...(agentId === undefined ? [] : [limiters[use].agent.take(agentId, amount)]),
          ...(trusted || address === '' ? [] : [limiters[use].address.take(address, amount)]),
          limiters[use][trusted ? 'trusted' : 'untrusted'].take('all', amount),
        ]),
      )
      const refused = tickets.find(({ granted }) => !granted)
      let used = false
      const putBack = () => {
        for (const ticket of used ? [] : tickets) ticket.putBack()
      }
      return {
        granted: refused === undefined,
        putBack,
        assertGranted: () => {
          if (refused !== undefined && !refused.granted) throw exhausted(uses, refused.retryAfterMs)
          used = true
        },
      }
    },
  }
}

const exhausted = ({ analyses }: Uses, retry_after_ms: number) =>
  refuse(analyses === undefined ? 'rate_limited' : 'rate_guardrail_reached', {
    detail: 'a daily quota is used up',
    retry_after_ms,
  })

/** Two tickets as one: both are used, or none. */
export function both(
  one: CallerTicket | undefined,
  other: CallerTicket | undefined,
): CallerTicket | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    granted: one.granted && other.granted,
    mayRepeat: async () => {
      const over = [one, other].filter(({ granted }) => !granted)
      const may = await Promise.all(over.map((ticket) => ticket.mayRepeat?.() ?? false))
      return may.every((each) => each)
    },
    headers: { ...other.headers, ...one.headers },
    putBack: () => {
      one.putBack()
      other.putBack()
    },
    assertGranted: () => {
      one.assertGranted()
      other.assertGranted()
    },
  }
}
