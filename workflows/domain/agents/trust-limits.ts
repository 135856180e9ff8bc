import { z } from 'zod'
import { railKeys } from '../rails/rail.ts'
import { type Scope, scopes } from './credential.ts'

/** What a decision allows an agent. A missing limit is as the agent asked, or none. */
export const TrustLimits = z.strictObject({
  rails: z.array(z.enum(railKeys)).min(1).max(railKeys.length).optional(),
  scopes: z.array(z.enum(scopes)).min(1).max(scopes.length).optional(),
  max_usd: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .meta({ description: 'The most that the agent may pay at once.' }),
  concurrent_runs: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'Further runs wait in their queue.' }),
})
export type TrustLimits = z.infer<typeof TrustLimits>

const { rails, scopes: scopesOf, max_usd, concurrent_runs } = TrustLimits.shape

/** A change of the limits: a limit that is not named stays as it is, and null removes one. */
export const LimitChange = z
  .strictObject({
    rails: rails.unwrap().nullish(),
    scopes: scopesOf.unwrap().nullish(),
    max_usd: max_usd.nullable(),
    concurrent_runs: concurrent_runs.nullable(),
  })
  .refine((change) => Object.values(change).some((limit) => limit !== undefined), 'names no limit')
  .meta({ minProperties: 1 })
export type LimitChange = z.infer<typeof LimitChange>

/** The limits after a change. */
export function limitsAfter(before: TrustLimits | null, change: LimitChange): TrustLimits {
  const merged = Object.entries({ ...before, ...change })
  return TrustLimits.parse(Object.fromEntries(merged.filter(([, limit]) => limit != null)))
}

type Access = { scopes: readonly Scope[]; rails: readonly string[] }

/** What the limits leave of the scopes and rails of an access key or of a request. */
export const accessWithin = (limits: TrustLimits | null, access: Access) => ({
  scopes: access.scopes.filter((scope) => limits?.scopes?.includes(scope) ?? true),
  rails: access.rails.filter((rail) => limits?.rails?.some((known) => known === rail) ?? true),
})
