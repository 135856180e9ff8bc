import { z } from 'zod'
import { KeySet } from '../receipts/key-set.ts'

const Time = z.iso.datetime().nullable()
const PublicKey = z.looseObject({ kty: z.string() })

/** `/.well-known/service-authority-key.json`: the authority's key and its earlier versions. */
const AuthorityKeys = z.looseObject({
  key_id: z.string().nullable(),
  public_key: PublicKey.nullable(),
  not_before: Time.optional(),
  previous_versions: z.array(
    z.looseObject({
      key_id: z.string(),
      public_key: PublicKey,
      not_before: Time.optional(),
      retired_at: Time,
      revoked_at: Time,
    }),
  ),
})

/** Where a service publishes its keys. */
export const keysUrlOf = (baseUrl: string): string => `${baseUrl}/.well-known/jwks.json`

/** The key set of a key document of the service, of either form; undefined for anything else. */
export function readKeyDocument(value: unknown): KeySet | undefined {
  const set = KeySet.safeParse(value)
  if (set.success) return set.data
  const { data } = AuthorityKeys.safeParse(value)
  if (data === undefined) return undefined
  const { key_id: kid, public_key: active, not_before } = data
  const current =
    kid === null || active === null
      ? []
      : [{ ...ofAuthority(active, kid, not_before), retired_at: null, revoked_at: null }]
  const earlier = data.previous_versions.map(
    ({ key_id, public_key, not_before, retired_at, revoked_at }) => ({
      ...ofAuthority(public_key, key_id, not_before),
      retired_at,
      revoked_at,
    }),
  )
  const { data: keys } = KeySet.safeParse({ keys: [...current, ...earlier] })
  return keys
}

const ofAuthority = (jwk: object, kid: string, activated_at: string | null | undefined) => ({
  ...jwk,
  kid,
  use_for: 'authority',
  ...(activated_at === undefined ? {} : { activated_at }),
})
