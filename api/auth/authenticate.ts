import { checkCredential } from '#domain/agents/credential.ts'
import { DomainError, refuse } from '#domain/core/errors.ts'
import type { CredentialOfAgent } from '../../activities/store/agents/agent-credentials.ts'
import type { CallIdentity } from '../../activities/store/calls/grants.ts'
import type { Caller, CallRequest } from '../context.ts'
import { type AccessKind, type AnyOperation, waysOf } from '../operation.ts'
import { assertSigned } from './agent-signature.ts'
import { factsOf } from './credential-standing.ts'
import type { AuthDeps } from './deps.ts'
import { type Identity, recognise } from './identify.ts'
import { railsOf } from './named-rails.ts'
import { presentedWay } from './presented.ts'
import { knownCaller, unknownCaller } from './public-caller.ts'
import { recogniseSubject } from './status-token.ts'
import { assertProvenBody } from './wallet-proof.ts'

/** Who calls, and the proof whose nonce the call uses up. */
export type Authenticated = { caller: Caller; proof: CallIdentity['proof'] }
/** A call whose body was read as JSON; `value` is its body or query as sent. */
export type ReadCall = { operation: AnyOperation; request: CallRequest; value: unknown }

type Known<Kind extends Identity['kind']> = Extract<Identity, { kind: Kind }>

/**
 * Authenticates the caller, including signatures over the body; throws 401, 403, 404 and 429. A credential
 * that is presented is always checked, also where none is needed.
 */
export async function authenticate(
  call: ReadCall,
  identity: Identity,
  deps: AuthDeps,
): Promise<Authenticated> {
  const { operation, request } = call
  const known = await fitting(wayOf(operation, request), identity, call, deps)
  switch (known.kind) {
    case 'public':
    case 'refused':
      return { caller: publicCaller(call, known), proof: null }
    case 'operator':
      return { caller: await operatorCaller(call, known, deps), proof: null }
    case 'agent':
      return {
        caller: waysOf(operation).includes('agent')
          ? agentCaller(call, known)
          : publicCaller(call, known),
        proof: null,
      }
    case 'status':
      return { caller: await tokenCaller(call, known, deps), proof: null }
    case 'provider':
      return { caller: providerCaller(call), proof: null }
    case 'wallet':
      return walletCaller(call, known, deps)
  }
}

function wayOf(operation: AnyOperation, request: CallRequest): AccessKind {
  const ways = waysOf(operation)
  return presentedWay([operation], request) ?? (ways.includes('public') ? 'public' : ways[0])
}

/** The identity that this operation asks for; one path may have operations that ask for different ones. */
async function fitting(
  way: AccessKind,
  identity: Identity,
  call: ReadCall,
  deps: AuthDeps,
): Promise<Identity> {
  if (way === identity.kind || identity.kind === 'refused') return identity
  return recognise(way, [call.operation], call.request, deps)
}

function publicCaller(
  { operation, request }: ReadCall,
  identity: Known<'public' | 'refused' | 'agent'>,
): Extract<Caller, { kind: 'public' }> {
  const unknown = unknownCaller(request)
  if (identity.kind === 'public') return unknown
  if (identity.kind === 'refused') return { ...unknown, presented: { refusal: identity.refusal } }
  const { credential } = identity
  if (operation.examines !== true) return knownCaller(credential, request)
  return { ...unknown, id: `agent:${credential.agent_id}`, presented: { credential } }
}

function operatorCaller(
  { operation, request }: ReadCall,
  { operator }: Known<'operator'>,
  deps: AuthDeps,
) {
  const caller = { kind: 'operator', id: `operator:${operator.operatorId}`, ...operator } as const
  const { token } = request.params
  if (token === undefined || operation.statusToken === undefined) return caller
  const { prefixes } = operation.statusToken
  return deps.attempts.guard({ address: request.address }, async () => ({
    ...caller,
    subject: await recogniseSubject(token, prefixes, deps.agents.findTokens),
  }))
}

/** The operation that takes webhooks reads who sent it from these bytes. */
const providerCaller = ({ request: { headers, body } }: ReadCall): Caller => ({
  kind: 'provider',
  id: 'provider',
  signed: { headers, raw: body ?? new Uint8Array() },
})

/** The agent of a credential as the caller of this operation; throws unless the credential covers its scopes, or they are judged later. */
export function agentCaller(
  { operation }: Pick<ReadCall, 'operation'>,
  { credential }: Pick<Known<'agent'>, 'credential'>,
): Extract<Caller, { kind: 'agent' }> {
  const { needs, id } = operation
  if (needs === undefined)
    throw new Error(`the operation ${id} does not say what it needs of a credential`)
  const caller = callerOf(credential)
  assertCovers(caller, { scopes: operation.judgesKey ? [] : needs.scopes, rail: undefined })
  return caller
}

/** The agent of a credential as a caller, without a check of what the credential is for. */
export const callerOf = (credential: CredentialOfAgent) =>
  ({
    kind: 'agent',
    id: `agent:${credential.agent_id}`,
    agentId: credential.agent_id,
    credential,
  }) as const

/** Throws 403 `rail_not_allowed` where an agent's credential does not cover the rails that its input names. */
export async function assertRails(
  operation: AnyOperation,
  input: unknown,
  caller: Caller,
  { agents }: { agents: Pick<AuthDeps['agents'], 'railsNamed'> },
): Promise<void> {
  if (caller.kind !== 'agent' || operation.needs === undefined) return
  const named = await railsOf(operation, input, (given) => agents.railsNamed(caller.agentId, given))
  const rail = named.find((one) => !caller.credential.rails.some((allowed) => allowed === one))
  assertCovers(caller, { scopes: operation.needs.scopes, rail })
}

/**
 * The caller of this input, whose credential covers its rails. Where the operation judges that by itself, the caller says what its key
 * lacks, under an id of its own: it neither repeats nor continues a call of another key.
 */
export async function admitted(
  { operation, input }: { operation: AnyOperation; input: unknown },
  caller: Caller,
  deps: { agents: Pick<AuthDeps['agents'], 'railsNamed'> },
): Promise<Caller> {
  try {
    await assertRails(operation, input, caller, deps)
    return caller
  } catch (error) {
    const isJudged = operation.judgesKey === true && caller.kind === 'agent'
    if (!isJudged || !(error instanceof DomainError)) throw error
    return { ...caller, id: `key:${caller.credential.credential_id}`, denied: error.refusal }
  }
}

type Wanted = Parameters<typeof checkCredential>[1]

function assertCovers({ credential }: Extract<Caller, { kind: 'agent' }>, wanted: Wanted): void {
  const [denial] = checkCredential(factsOf(credential), wanted, credential.readAt)
  if (denial === undefined) return
  throw refuse(denial.code, {
    detail: denial.detail,
  })
}

async function tokenCaller(
  { operation, request, value }: ReadCall,
  { token }: Known<'status'>,
  deps: AuthDeps,
): Promise<Caller> {
  const { statusToken, http, id } = operation
  if (statusToken === undefined)
    throw new Error(`the operation ${id} does not say which status tokens it takes`)
  const known = token.agentId === '' ? token.subjectId : `agent:${token.agentId}`
  const caller = { kind: 'status', id: known, ...token } as const
  const { method, path, headers, address } = request
  return deps.attempts.guard({ address }, async () => {
    if (!statusToken.prefixes.includes(token.prefix)) throw unknownToken()
    if (!statusToken.signed || token.keyless === true) return caller
    const origin = http.host === 'os' ? deps.osUrl : deps.baseUrl
    const nowSeconds = await deps.clock.nowSeconds()
    const header = headers['x-agent-signature']
    const signed = { header, agentId: token.agentId, origin, method, path, body: value, nowSeconds }
    await assertSigned({ ...signed, tokenSha256: token.tokenSha256 }, deps.agents.spokeFor)
    return caller
  })
}

const unknownToken = (): DomainError =>
  refuse('not_found', {
    detail: 'nothing has this status token',
  })

async function walletCaller(
  { request, value }: ReadCall,
  { proof, isNew }: Known<'wallet'>,
  deps: AuthDeps,
): Promise<Authenticated> {
  const body = request.method === 'GET' ? undefined : value
  await deps.attempts.guard({ address: request.address }, async () => assertProvenBody(proof, body))
  const { wallet, nonce, body_sha256 } = proof
  return {
    caller: { kind: 'wallet', id: `wallet:${wallet}`, wallet, isNew },
    proof: { wallet, nonce, bodySha256: body_sha256 },
  }
}
