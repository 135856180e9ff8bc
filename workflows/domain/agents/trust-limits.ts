import { z } from 'zod'
import { railKeys } from '../rails/rail.ts'
import { scopes } from './credential.ts'

/** What a decision allows an agent. A missing limit is as the agent asked, or none. */
export const TrustLimits = z.strictObject({
  rails: z.array(z.enum(railKeys)).min(1).max(8).optional(),
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
