import type { Pool } from 'pg'
import { refuse } from '#domain/core/errors.ts'
import type { Config } from '../../activities/config/config.ts'
import {
  createLimiter,
  type Limiter,
  type Ticket,
} from '../../activities/store/calls/rate-limits.ts'
import { goodKeyOf } from '../auth/good-key.ts'
import type { Caller } from '../context.ts'
import type { AnyOperation } from '../operation.ts'
import { type RatePolicyName, ratePolicies, WINDOW_SECONDS } from '../shapes/rate-policies.ts'
import type { RateLimits } from './deps.ts'
import { both } from './quotas.ts'
import type { CallerTicket } from './tickets.ts'

const DAY_S = 24 * 3600

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
    DAY_S,
  )
  const freeInAll = createLimiter(pool, 'free', config.FREE_GRANTS_PER_DAY, DAY_S)
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

type Called = {
  operation: AnyOperation
  caller: Caller
  request: { address: string }
  deps: { limits: RateLimits }
}

/**
 * A ticket of the caller's own limit: of a wallet (and of its address, where it never paid), of an agent's credential, of a status token, or of a public caller's address, which
 * has fewer writes than reads. The holder of a token of anonymous work is limited as a public caller, by the address and by the token.
 * Undefined for all others.
 */
export async function callerTicket({
  operation: { idempotency, http },
  caller,
  request,
  deps: { limits },
}: Called): Promise<CallerTicket | undefined> {
  if (caller.kind === 'wallet') {
    const own = await limits.wallet(caller.id)
    return caller.isNew ? both(own, await limits.newWallets(request.address)) : own
  }
  const credential = goodKeyOf(caller)
  if (credential !== undefined) return limits.agent(credential.credential_id)
  const document = http.cacheable ? 'documents' : 'reads'
  const used = idempotency.kind === 'read' ? document : 'writes'
  if (caller.kind === 'status') {
    if (caller.keyless !== true) return limits.agent(caller.tokenSha256)
    const of = (key: string) => limits.publicCaller(key, used)
    return both(...(await Promise.all([of(request.address), of(caller.tokenSha256)])))
  }
  if (caller.kind !== 'public' || http.unlimited) return undefined
  return limits.publicCaller(caller.address, used)
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
