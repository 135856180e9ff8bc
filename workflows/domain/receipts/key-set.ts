import { z } from 'zod'

/** A key set as `/.well-known/jwks.json` serves it; members that say nothing about a signature are let be. */
export const KeySet = z.strictObject({
  keys: z.array(
    z.looseObject({
      kid: z.string(),
      kty: z.string(),
      crv: z.string().optional(),
      x: z.string().optional(),
      use_for: z.string(),
      /** Left out in sets that were saved before keys had it. */
      activated_at: z.iso.datetime().nullable().optional(),
      retired_at: z.iso.datetime().nullable(),
      revoked_at: z.iso.datetime().nullable(),
    }),
  ),
})
export type KeySet = z.output<typeof KeySet>
export type PublishedKey = KeySet['keys'][number]
