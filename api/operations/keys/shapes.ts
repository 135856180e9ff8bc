import { z } from 'zod'
import { Time } from '../../fields.ts'

export const KeyId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/)

/** A signing key of the service with its standing. */
export const ServiceKey = z
  .strictObject({
    ring: z.string(),
    kid: KeyId,
    alg: z.enum(['EdDSA', 'ES256']),
    state: z.enum(['active', 'retired', 'revoked']),
    activated_at: Time,
    retired_at: Time.nullable(),
    revoked_at: Time.nullable(),
  })
  .meta({ id: 'ServiceKey' })
