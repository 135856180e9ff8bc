import { parseCredential } from '#domain/agents/credential.ts'
import { DomainError, refuse } from '#domain/core/errors.ts'
import { hasDigest } from '../../activities/keys/derived-tokens.ts'
import type { CredentialOfAgent } from '../../activities/store/agents/agent-credentials.ts'
import type { Caller, CallRequest } from '../context.ts'
import { type AnyOperation, waysOf } from '../operation.ts'
import type { VerifyAgentToken } from './agent-token.ts'
import { type AskingLimits, mayAskOthers } from './attempts.ts'
import { assertCovers } from './credential-standing.ts'
import type { Method, Proven, ReadCall } from './method.ts'
import { knownCaller, unknownCaller } from './public-caller.ts'

/** Finds a credential by its id; each call reads the database. */
type FindCredential = (credentialId: string) => Promise<CredentialOfAgent | undefined>

/** A credential counts where the database has it and one of our keys, which are in no database, derives its secret. */
type KnownCredentials = {
  readonly findCredential: FindCredential
  readonly isCredentialSecret: (credentialId: string, secret: string) => boolean
}

/** What an agent is checked with. */
type AgentNeeds = AskingLimits & {
  /** Read in the database for each call: a revocation applies at once, in every process. */
  readonly agents: KnownCredentials & {
    /** Tokens are taken only where an issuer is configured, and only over MCP. */
    readonly verifyToken?: VerifyAgentToken | undefined
  }
}

/** By an access key, or over MCP by an access token. Operations that examine credentials report a wrong one. */
export const byAgent: Method<AgentNeeds> = async ({ operations, request }, deps) => {
  try {
    const credential = await findCredential(request, deps)
    return { way: 'agent', isAnyone: false, callerOf: (call) => callerWith(credential, call) }
  } catch (error) {
    const isExamined = operations.every(({ examines }) => examines === true)
    if (!isExamined || !(error instanceof DomainError)) throw error
    if (error.refusal.code !== 'credential_invalid') throw error
    return refusedCaller(error)
  }
}

function findCredential(request: CallRequest, deps: AgentNeeds): Promise<CredentialOfAgent> {
  const { address, headers, overMcp } = request
  const { attempts, agents } = deps
  const { verifyToken } = agents
  const header = headers['authorization']
  const [, token] = /^Bearer (eyJ\S+)$/i.exec(String(header)) ?? []
  if (overMcp === true && verifyToken !== undefined && token !== undefined)
    return attempts.guard({ address }, () => verifyToken(token, mayAskOthers(address, deps)))
  return attempts.guard({ address, credentialId: presentedCredentialId(header) }, () =>
    recogniseCredential(header, agents),
  )
}

const refusedCaller = ({ refusal }: DomainError): Proven => ({
  way: 'agent',
  isAnyone: true,
  callerOf: ({ request }) => ({ ...unknownCaller(request), presented: { refusal } }),
})

/** The agent, or a public caller where the operation needs no credential. */
function callerWith(credential: CredentialOfAgent, { operation, request }: ReadCall): Caller {
  if (waysOf(operation).includes('agent')) return agentCaller(operation, credential)
  const unknown = unknownCaller(request)
  if (operation.examines !== true) return knownCaller(credential, request)
  return { ...unknown, id: `agent:${credential.agent_id}`, presented: { credential } }
}

/** The agent of a credential as the caller of this operation; throws unless the credential covers its scopes, or they are judged later. */
export function agentCaller(
  { needs, id, judgesKey }: AnyOperation,
  credential: CredentialOfAgent,
): Extract<Caller, { kind: 'agent' }> {
  if (needs === undefined)
    throw new Error(`the operation ${id} does not say what it needs of a credential`)
  assertCovers(credential, { scopes: judgesKey ? [] : needs.scopes, rail: undefined })
  return agentWith(credential)
}

/** The agent of a credential as a caller, without a check of what the credential is for. */
export const agentWith = (credential: CredentialOfAgent) =>
  ({
    kind: 'agent',
    id: `agent:${credential.agent_id}`,
    agentId: credential.agent_id,
    credential,
  }) as const

type Header = string | string[] | undefined

/** The id in a presented credential, which is no secret; undefined where none is presented in its form. */
function presentedCredentialId(header: Header): string | undefined {
  return presented(header)?.credentialId
}

/**
 * The credential behind `Authorization: Bearer ag_<id>_<secret>`, in any state; throws 401 `credential_required`
 * without one and `credential_invalid` for one that was never issued.
 */
async function recogniseCredential(
  header: Header,
  { findCredential: find, isCredentialSecret }: KnownCredentials,
): Promise<CredentialOfAgent> {
  if (header === undefined || header === '') {
    throw refuse('credential_required', {
      detail: 'the header Authorization: Bearer ag_… is missing',
    })
  }
  const given = presented(header)
  if (given === undefined) throw unknownCredential()
  const credential = await find(given.credentialId)
  if (!hasDigest(given.secret, credential?.secret_sha256) || credential === undefined)
    throw unknownCredential()
  if (!isCredentialSecret(given.credentialId, given.secret)) throw unknownCredential()
  return credential
}

function presented(header: Header): { credentialId: string; secret: string } | undefined {
  const [, text] = (typeof header === 'string' ? /^Bearer (ag_\S+)$/i.exec(header) : null) ?? []
  return text === undefined ? undefined : parseCredential(text)
}

const unknownCredential = (): DomainError =>
  refuse('credential_invalid', {
    detail: 'the credential is not one of an agent',
  })
