import { digestOf } from '#domain/core/canonical-json.ts'
import { callId } from '#domain/core/ids.ts'
import { verifySignature } from '../../activities/keys/compact.ts'
import type { CallIdentity } from '../../activities/store/calls/grants.ts'
import { assertSigned } from './agent-signature.ts'
import type { ReadCall } from './authenticate.ts'
import type { AuthDeps } from './deps.ts'

/**
 * The call, where the key in its input signed it: a repeat of the call that registered the key is that call, whatever it was known by,
 * and any other is known by the key. 401 `proof_invalid` for a signature that does not verify.
 */
export async function signedCall(
  { operation, request, value }: ReadCall,
  input: unknown,
  call: CallIdentity,
  deps: AuthDeps,
): Promise<CallIdentity> {
  const publicJwk = operation.recalledBy?.(input)
  const { method, path, headers, address } = request
  const header = headers['x-agent-signature']
  if (publicJwk === undefined || header === undefined) return call
  const origin = operation.http.host === 'os' ? deps.osUrl : deps.baseUrl
  const nowSeconds = await deps.clock.nowSeconds()
  const signed = {
    header,
    agentId: '',
    origin,
    method,
    path,
    body: value,
    tokenSha256: undefined,
    nowSeconds,
  }
  await deps.attempts.guard({ address }, () =>
    assertSigned(signed, async (_agentId, text, signature) =>
      verifySignature({ alg: 'EdDSA', publicJwk }, text, Buffer.from(signature, 'base64url')),
    ),
  )
  const first = await deps.agents.registrationBy(publicJwk)
  if (first?.fingerprint === call.fingerprint)
    return { ...call, callId: first.call_id, caller: first.caller, key: first.key }
  const caller = `key:${digestOf(publicJwk)}`
  return { ...call, caller, callId: callId(caller, operation.id, call.key) }
}
