import type { Pool } from 'pg'
import { refuse } from '#domain/core/errors.ts'
import type { Config } from '../../activities/config/config.ts'
import {
  createLimiter,
  type Limiter,
  type Ticket,
} from '../../activities/store/calls/rate-limits.ts'
import type { Uses } from '../operation.ts'
import { type RatePolicyName, ratePolicies, WINDOW_SECONDS } from '../shapes/rate-policies.ts'

/** One call of a wallet or a credential, if it was granted. `assertGranted` uses it up; unused, as by a repeat of a call, it can be put back. */
export type CallerTicket = {
  readonly granted: boolean
  assertGranted(): void
  putBack(): void
  /** Whether a call over the limit may still be read, because it may be the repeat of one; absent where none can be. */
  mayRepeat?(): Promise<boolean>
  /** What the answer says of the limit. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A free call of an address. */
export type FreeTicket = { readonly granted: boolean; putBack(): void }

/** Counted in Postgres, so that the limits hold over processes; a ticket that is not granted throws 429 `rate_limited`. */
export type RateLimits = {
  address(address: string, perMinute?: number): Promise<CallerTicket>
  wallet(caller: string): Promise<CallerTicket>
  /** Calls of all wallets of an address that never paid. */
  newWallets(address: string): Promise<CallerTicket>
  agent(credentialId: string): Promise<CallerTicket>
  publicCaller(address: string, of: 'documents' | 'reads' | 'writes'): Promise<CallerTicket>
  /** Not granted when this address, or all together, had enough free calls today; the call can still be paid for. */
  freeGrant(address: string): Promise<FreeTicket>
}

const DAY_SECONDS = 24 * 3600

/** The service's limits: per wallet, per credential, per client address, failed proofs, and free grants. */
export function createRateLimits(pool: Pool, config: Config): RateLimits {
  const policies = ratePolicies(config)
  const named = (policy: RatePolicyName): Named => {
    const { quota } = policies[policy]
    const limiterOf = (name: string) => createLimiter(pool, name, quota, WINDOW_SECONDS)
    return { policy, quota, limiter: limiterOf(policy), repeats: limiterOf(`${policy}-repeats`) }
  }
  const perAddress = named('address')
  const perWallet = named('wallet')
  const ofNewWallets = named('new-wallets')
  const perCredential = named('agent')
  const ofPublic = {
    documents: named('documents'),
    reads: named('public-reads'),
    writes: named('public-writes'),
  }
  const freePerAddress = createLimiter(
    pool,
    'free-address',
    config.FREE_GRANTS_PER_ADDRESS_PER_DAY,
    DAY_SECONDS,
  )
  const freeInAll = createLimiter(pool, 'free', config.FREE_GRANTS_PER_DAY, DAY_SECONDS)
  return {
    // An operation's own limit is a larger share of the same counter, so that one address has one budget.
    address: (address, perMinute) =>
      callOf(
        perAddress,
        address,
        perMinute === undefined
          ? 1
          : Math.max(1, Math.floor(config.LIMIT_ADDRESS_PER_MINUTE / perMinute)),
      ),
    wallet: (caller) => callOf(perWallet, caller),
    newWallets: (address) => callOf(ofNewWallets, address),
    agent: (credentialId) => callOf(perCredential, credentialId),
    publicCaller: (address, of) => callOf(ofPublic[of], address),
    freeGrant: async (address) => {
      const tickets = await Promise.all([freePerAddress.take(address), freeInAll.take('all')])
      const granted = tickets.every((ticket) => ticket.granted)
      const putBack = () => {
        for (const ticket of tickets) ticket.putBack()
      }
      if (!granted) putBack()
      return { granted, putBack: granted ? putBack : () => undefined }
    },
  }
}

/** `repeats` counts what is still read of a caller that is over its limit, as many calls again. */
type Named = { policy: RatePolicyName; quota: number; limiter: Limiter; repeats: Limiter }

async function callOf(named: Named, key: string, points = 1): Promise<CallerTicket> {
  const { policy, quota } = named
  const ticket = await named.limiter.take(key, points)
  let used = false
  return {
    granted: ticket.granted,
    headers: {
      'RateLimit-Policy': `"${policy}";q=${quota};w=${WINDOW_SECONDS}`,
      ...(ticket.granted ? { RateLimit: `"${policy}";${standingOf(ticket)}` } : {}),
    },
    mayRepeat: async () => ticket.granted || (await named.repeats.take(key, points)).granted,
    assertGranted: () => {
      used = true
      assertGranted(ticket, named)
    },
    putBack: () => {
      if (!used) ticket.putBack()
    },
  }
}

const standingOf = ({ left, resetMs }: Extract<Ticket, { granted: true }>): string =>
  `r=${Math.floor(left)};t=${Math.max(1, Math.ceil(resetMs / 1000))}`

function assertGranted(ticket: Ticket, { policy, quota }: Named): void {
  if (ticket.granted) return
  throw refuse('rate_limited', {
    detail: `more than ${quota} calls in ${WINDOW_SECONDS} seconds`,
    retry_after_ms: ticket.retryAfterMs,
    extra: { limit: { policy, calls: quota, window_seconds: WINDOW_SECONDS } },
  })
}

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
