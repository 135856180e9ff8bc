import { z } from 'zod'
import { ringNames, rotationStates } from '#domain/keys/rotation.ts'
import { Time } from '../fields.ts'

export const KeyId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/)

/** A signing key of the service with its standing. */
export const ServiceKey = z
  .strictObject({
    ring: z.string(),
    kid: KeyId,
    alg: z.enum(['EdDSA', 'ES256']),
    state: z.enum(['published', 'active', 'retiring', 'retired', 'revoked']).meta({
      description:
        'Published: not signing yet. Retiring: another key signs, and this one is retired at the end of the overlap.',
    }),
    published_at: Time,
    activated_at: Time.nullable(),
    retired_at: Time.nullable(),
    revoked_at: Time.nullable(),
  })
  .meta({ id: 'ServiceKey' })

export const RingName = z.enum(ringNames)

/** The rotation of one ring: from the order to the retirement of the key before it. */
export const ServiceKeyRotation = z
  .strictObject({
    rotation_id: z.string().regex(/^kr_[0-9a-f]{64}$/),
    ring: RingName,
    state: z.enum(rotationStates),
    next_kid: KeyId.nullable(),
    previous_kid: KeyId.nullable(),
    revoke_old: z.boolean(),
    overlap_seconds: z.int(),
    reason: z.string(),
    requested_at: Time,
    activate_at: Time.nullable().meta({ description: 'When the next key signs.' }),
    retire_at: Time.nullable().meta({ description: 'When the previous key is retired.' }),
    done_at: Time.nullable(),
  })
  .meta({ id: 'ServiceKeyRotation' })
