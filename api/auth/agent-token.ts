import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import { z } from 'zod'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { callbackHosts } from '../../activities/callbacks/hosts.ts'
import { type Config, readJsonFile } from '../../activities/config/config.ts'
import { createOutgoing, type SendOutgoing } from '../../activities/http/outgoing.ts'
import {
  type CredentialOfAgent,
  findActiveCredential,
} from '../../activities/store/agents/agent-credentials.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { ENDPOINT } from '../mcp-protocol.ts'
import { accessTokenTerms } from './access-token-terms.ts'
import type { MayAskOthers } from './attempts.ts'

/** The current credential of an agent, narrowed to the scopes of its token. Throws 401 `credential_invalid`, 503 `unavailable`. */
export type VerifyAgentToken = (
  token: string,
  mayAskOthers: MayAskOthers,
) => Promise<CredentialOfAgent>

type Deps = {
  readonly send: SendOutgoing
  readonly findActive: (agentId: string) => Promise<CredentialOfAgent | undefined>
}
type AgentTokenSettings = {
  readonly issuer: string
  readonly jwksUrl: string
  /** The resource of RFC 9728, which each token has to name as its audience. */
  readonly resource: string
  /** Which agent a subject is. */
  readonly subjects: Readonly<Record<string, string>>
}

/** How long keys are used before they are read again. */
const KEYS_LIFE_MS = 600_000
/** The least time between two reads for unknown keys. */
const KEYS_REREAD_MS = 5_000
const Jwks = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) })

/** The check of access tokens that is configured; undefined where no issuer is. */
export function openAgentTokens(config: Config, db: Tx): VerifyAgentToken | undefined {
  const { MCP_OAUTH_ISSUER: issuer, MCP_OAUTH_JWKS_URL: jwksUrl } = config
  if (issuer === '') return undefined
  const subjects = readJsonFile(
    config.MCP_OAUTH_SUBJECTS_FILE,
    z.record(z.string().min(1), z.string().startsWith('agt_')),
  )
  return agentTokens(
    { issuer, jwksUrl, resource: `${config.BASE_URL}${ENDPOINT}`, subjects },
    {
      send: createOutgoing(callbackHosts(config)),
      findActive: (agentId) => findActiveCredential(db, agentId),
    },
  )
}

/** Verifies access tokens of agents: signature by the keys of the issuer, issuer, audience, time and subject (RFC 9068 §4). */
function agentTokens(
  { issuer, jwksUrl, resource, subjects }: AgentTokenSettings,
  { send, findActive }: Deps,
): VerifyAgentToken {
  const keysFor = keysOf(jwksUrl, send)
  return async (token, mayAskOthers) => {
    const keys = await keysFor(kidOf(token), mayAskOthers)
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      audience: resource,
      ...accessTokenTerms,
    }).catch((error: unknown) => {
      if (error instanceof errors.JOSEError) throw wrongToken(error.code)
      throw error
    })
    const { sub = '' } = payload
    const agentId = Object.hasOwn(subjects, sub) ? subjects[sub] : undefined
    const credential = agentId === undefined ? undefined : await findActive(agentId)
    if (credential === undefined) throw wrongToken('its subject is no agent with an access key')
    const scopes = scopesIn(payload)
    return scopes === undefined ? credential : within(credential, scopes)
  }
}

/** The scopes of a token, as RFC 9068 §2.2.3 has them or as a list, which some issuers call `scp`; undefined where it names none. */
function scopesIn({ scope, scp }: JWTPayload): string[] | undefined {
  const named = scope ?? scp
  if (named === undefined) return undefined
  const scopes = Scopes.safeParse(named)
  if (!scopes.success) throw wrongToken('its scopes have an unknown form')
  return scopes.data
}

const Scopes = z.union([z.string().transform((text) => text.split(' ')), z.array(z.string())])

const within = (credential: CredentialOfAgent, scopes: string[]): CredentialOfAgent => ({
  ...credential,
  scopes: credential.scopes.filter((scope) => scopes.includes(scope)),
})

/** Reads the keys of the issuer when they are old, or when a token names one that is not among them. */
function keysOf(url: string, send: SendOutgoing) {
  let known: { keys: JSONWebKeySet; at: number } | undefined
  const isGoodFor = (kid: string | undefined): boolean => {
    if (known === undefined) return false
    const age = performance.now() - known.at
    const has = known.keys.keys.some((key) => key.kid === kid)
    return age < (has ? KEYS_LIFE_MS : KEYS_REREAD_MS)
  }
  return async (kid: string | undefined, mayAskOthers: MayAskOthers): Promise<JSONWebKeySet> => {
    if (known !== undefined && isGoodFor(kid)) return known.keys
    await mayAskOthers()
    const keys = await readKeys(url, send)
    known = { keys, at: performance.now() }
    return keys
  }
}

async function readKeys(url: string, send: SendOutgoing): Promise<JSONWebKeySet> {
  const answer = await send({ url, method: 'GET', headers: { accept: 'application/json' } })
  try {
    if (answer.ok && answer.status === 200)
      return Jwks.parse(JSON.parse(answer.body.toString('utf8'))) as JSONWebKeySet
  } catch {
    // What is no key set is as good as no answer.
  }
  throw refuse('unavailable', { detail: 'the keys of the agents’ issuer cannot be read' })
}

function kidOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid
  } catch {
    throw wrongToken('it is no JWT')
  }
}

const wrongToken = (why: string): DomainError =>
  refuse('credential_invalid', {
    detail: `the token is not a good one of the agents’ issuer: ${why}`,
  })
