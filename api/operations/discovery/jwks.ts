import { z } from 'zod'
import { operation } from '../../operation.ts'

/** GET /.well-known/jwks.json: RFC 7517 set with `use_for`, `published_at`, `activated_at` (null for a key that does not sign yet), `retired_at` and `revoked_at`. */
export const jwks = operation({
  id: 'jwks',
  summary: 'Every public key of the service, with its purpose and status.',
  http: { method: 'GET', path: '/.well-known/jwks.json', host: 'base', cacheable: true },
  access: 'public',
  output: z
    .object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })) })
    .meta({ id: 'Jwks' }),
  handle: async (_input, context) => ({ body: await context.discovery.jwks() }),
})
