import { z } from 'zod'
import type { Config } from '../../activities/config/config.ts'

/** Limits by the minute, by the names that the headers RateLimit and RateLimit-Policy have for them (draft-ietf-httpapi-ratelimit-headers). */
export const ratePolicies = (config: Config) => ({
  documents: {
    quota: config.LIMIT_PUBLIC_DOCUMENTS_PER_MINUTE,
    counts: 'Reads, without a credential, of documents that any cache may keep, from one address.',
  },
  'public-reads': {
    quota: config.LIMIT_PUBLIC_READS_PER_MINUTE,
    counts: 'Other reads without a credential, from one address.',
  },
  'public-writes': {
    quota: config.LIMIT_PUBLIC_WRITES_PER_MINUTE,
    counts: 'Calls that store, without a credential, from one address.',
  },
  agent: {
    quota: config.LIMIT_AGENT_PER_MINUTE,
    counts: 'Calls with one access key or status token.',
  },
  'new-wallets': {
    quota: config.LIMIT_NEW_WALLETS_PER_MINUTE,
    counts: 'Calls with proofs of wallets that never paid for a call, from one address.',
  },
  wallet: { quota: config.LIMIT_WALLET_PER_MINUTE, counts: 'Calls with a proof of one wallet.' },
  address: {
    quota: config.LIMIT_ADDRESS_PER_MINUTE,
    counts: 'All calls that prove nothing, from one address.',
  },
})
export type RatePolicyName = keyof ReturnType<typeof ratePolicies>

export const WINDOW_SECONDS = 60

/** A limit as it is published. */
export const RateLimit = z
  .strictObject({
    policy: z.string().meta({ description: 'Its name in the header RateLimit-Policy.' }),
    calls: z.int().min(1),
    window_seconds: z.int().min(1),
    counts: z.string(),
  })
  .meta({ id: 'RateLimitPolicy' })

export type PublishedLimit = z.output<typeof RateLimit>

/** The limits as they are published. */
export const publishedLimits = (config: Config): PublishedLimit[] =>
  Object.entries(ratePolicies(config)).map(([policy, { quota, counts }]) => ({
    policy,
    calls: quota,
    window_seconds: WINDOW_SECONDS,
    counts,
  }))
