import { randomUUID } from 'node:crypto'
import { refuse } from '#domain/core/errors.ts'
import { secretSha256 } from '../../activities/keys/derived-tokens.ts'
import type { CredentialOfAgent } from '../../activities/store/agents/agent-credentials.ts'
import type { Caller, CallRequest } from '../context.ts'
import { denialOf } from './credential-standing.ts'
import type { Method, Proven } from './method.ts'

type Public = Extract<Caller, { kind: 'public' }>

const anyone: Proven = {
  way: 'public',
  isAnyone: true,
  callerOf: ({ request }) => unknownCaller(request),
}
/** By nothing at all. */
export const byAnyone: Method<unknown> = async () => anyone

/** The header that identifies a returning caller without a credential. */
const IDEMPOTENCY_SECRET = 'Idempotency-Secret'
const secretForm = /^[A-Za-z0-9_-]{22,128}$/

/**
 * A caller without a credential. Its idempotency keys are its own by its secret, of which only the digest is kept; without one each of
 * its calls is another caller's, and its address is nothing but a limit. 400 `invalid_request` for a secret of another form.
 */
export function unknownCaller({
  headers,
  address,
}: Pick<CallRequest, 'headers' | 'address'>): Public {
  const secret = headers[IDEMPOTENCY_SECRET.toLowerCase()]
  if (secret === undefined) return { kind: 'public', id: `once:${randomUUID()}`, address }
  if (typeof secret === 'string' && secretForm.test(secret))
    return { kind: 'public', id: `secret:${secretSha256(secret)}`, address }
  throw refuse('invalid_request', {
    detail: `the header ${IDEMPOTENCY_SECRET} is not one secret of 22 to 128 base64url characters`,
  })
}

/** Whether a caller is another one with each call. */
export const isUnknown = ({ id }: Pick<Caller, 'id'>): boolean => id.startsWith('once:')

/** Whether a header presents the access key of an agent. */
export const isAccessKey = (header: CallRequest['headers'][string]): boolean =>
  typeof header === 'string' && /^Bearer ag_/i.test(header)

/** A caller that needs no credential and presents one, which has to be good. */
export function knownCaller(
  credential: CredentialOfAgent,
  { address }: Pick<CallRequest, 'address'>,
): Public {
  const denial = denialOf(credential)
  if (denial !== undefined)
    throw refuse(denial.code, {
      detail: denial.detail,
    })
  return { kind: 'public', id: `agent:${credential.agent_id}`, address, credential }
}
