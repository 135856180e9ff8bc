import { randomUUID } from 'node:crypto'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { callId } from '#domain/core/ids.ts'
import { verifySignature } from '../../activities/keys/compact.ts'
import type { CallIdentity } from '../../activities/store/calls/grants.ts'
import { assertSigned, type SpokeFor } from '../auth/agent-signature.ts'
import type { CallRequest } from '../context.ts'
import type { AnyOperation } from '../operation.ts'
import type { AdmittedCall, CallExecution } from './call.ts'

/** Gives the call the identity by which its repeats are recognised. */
export async function identifyRepeat(call: AdmittedCall): Promise<CallExecution> {
  return { ...call, identity: await signedIdentity(call), holder: randomUUID() }
}

/**
 * The identity of a call that the key in its input signed: a repeat of the call that registered the key is that call, whatever it was
 * known by, and any other is known by the key. 401 `proof_invalid` for a signature that does not verify.
 */
async function signedIdentity(call: AdmittedCall): Promise<CallIdentity> {
  const { operation, input, request, deps } = call
  const identity = identityOf(call)
  const publicJwk = operation.recalledBy?.(input)
  if (publicJwk === undefined || request.headers['x-agent-signature'] === undefined) return identity
  const spokeFor: SpokeFor = async (_agentId, text, signature) =>
    verifySignature({ alg: 'EdDSA', publicJwk }, text, Buffer.from(signature, 'base64url'))
  await deps.attempts.guard({ address: request.address }, () =>
    assertSigned(call, { agentId: '', tokenSha256: undefined, spokeFor }, deps),
  )
  const first = await deps.agents.registrationBy(publicJwk)
  if (first?.fingerprint === identity.fingerprint)
    return { ...identity, callId: first.call_id, caller: first.caller, key: first.key }
  const caller = `key:${digestOf(publicJwk)}`
  return { ...identity, caller, callId: callId(caller, operation.id, identity.key) }
}

/** The identity of a call by its caller, operation and key. */
export function identityOf(call: Omit<AdmittedCall, 'deps'>): CallIdentity {
  const { operation, caller, proof, request } = call
  const key = keyOf(call)
  if (operation.idempotency.kind === 'body') assertSameKey(request.headers['idempotency-key'], key)
  return {
    callId: callId(caller.id, operation.id, key),
    caller: caller.id,
    operation: operation.id,
    key,
    fingerprint: digestOf(fingerprinted(call, key)),
    path: pathToKeep(operation, request),
    proof,
  }
}

function keyOf({ operation, input, proof, request }: Omit<AdmittedCall, 'deps'>): string {
  const { idempotency } = operation
  if ('key' in idempotency)
    return idempotency.key(input) ?? headerKey(request) ?? proof?.nonce ?? randomUUID()
  return digestOf([proof?.nonce ?? request.requestId, proof?.bodySha256 ?? input])
}

/** The part of the input that has to be equal under one key. */
function fingerprinted(
  { operation: { idempotency }, input }: Pick<AdmittedCall, 'operation' | 'input'>,
  key: string,
): unknown {
  if (idempotency.kind === 'natural') return key
  if (idempotency.kind === 'body' && idempotency.fingerprint) return idempotency.fingerprint(input)
  return input
}

/** A status token in the path is a secret and is never stored. */
const pathToKeep = ({ http }: AnyOperation, { path }: CallRequest): string =>
  http.path.includes('{token}') ? http.path : path

const keyForm = /^"?([A-Za-z0-9._:-]{1,128})"?$/

/** The key in the header, bare or as a structured-field string; 400 for anything else. */
function headerKey({ headers }: CallRequest): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  const [, key] = (typeof header === 'string' ? keyForm.exec(header) : null) ?? []
  if (key !== undefined) return key
  throw refuse('invalid_request', {
    detail: 'the Idempotency-Key header is not one key of 1 to 128 letters, digits, . _ : -',
  })
}

/** The header may repeat the key of the body, bare or as a structured-field string; it may not contradict it. */
function assertSameKey(header: string | string[] | undefined, key: string): void {
  if (header === undefined || header === key || header === `"${key}"`) return
  throw refuse('invalid_request', {
    detail: 'the Idempotency-Key header and the body disagree',
    errors: [{ pointer: '/idempotency_key', message: 'differs from the Idempotency-Key header' }],
  })
}
