import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { z } from 'zod'
import type { Scope } from '#domain/agents/credential.ts'
import {
  agentSignatureText,
  encodeAgentSignature,
  handshakeText,
} from '#domain/agents/signature.ts'
import { bodySha256 } from '#domain/payouts/wallet-proof.ts'
import { secretSha256, type TokenKey } from '../keys/derived-tokens.ts'
import { type HarnessRunRow, keepHarnessFact } from '../store/harness/runs.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import type { Answer, Surface } from './surface.ts'

/** A step did not go as it should; the message is the step's detail. */
export class Unmet extends Error {}

/** A registered sandbox agent; the secrets of this one exist in memory alone. */
type Player = {
  readonly agentId: string
  readonly statusToken: string
  readonly key: AgentKey
  /** The headers that present an access key. */
  readonly bearer: (accessKey: string) => { authorization: string }
}
export type SessionDeps = {
  readonly db: Tx
  readonly baseUrl: string
  readonly tokenKeys: () => readonly TokenKey[]
}
/** What the script of a step plays with. */
export type Session = SessionDeps & { readonly run: HarnessRunRow; readonly surface: Surface }

/** The key of a call: the same call of a repeated step has the same one. */
export const keyFor = ({ run }: Pick<Session, 'run'>, name: string): string =>
  `${run.test_run_id}.${name}`

/** A fact that the first attempt of a step decides. */
export const keep = (session: Session, name: string, make: () => Promise<string>) =>
  keepHarnessFact(session.db, session.run.test_run_id, name, make)

const plain: readonly Scope[] = ['runs:read', 'runs:write', 'signing:use']

const Registered = z.looseObject({
  agent: z.looseObject({ agent_id: z.string() }),
  status_token: z.string(),
})
/** Registers an agent of the sandbox under a name of this test; a repeat is signed and gets the first answer. */
export async function registerPlayer(session: Session, name: string): Promise<Player> {
  const { run, surface, baseUrl, tokenKeys, db } = session
  const { test_run_id: testRunId, created_at: createdAt, rail } = run
  const key = agentKeyOf(tokenKeys(), { testRunId, agent: name, createdAt })
  const body = {
    name: 'Agent of a test',
    contact: { email: 'harness@agent.example' },
    rails: [rail],
    public_key: key.publicJwk,
    requested_scopes: plain,
    sandbox: true,
    idempotency_key: keyFor(session, name),
  }
  const path = '/api/agents/register'
  const issuedAt = Math.floor(await clockSeconds(db))
  const text = agentSignatureText({
    origin: baseUrl,
    method: 'POST',
    path,
    bodySha256: bodySha256(body),
    tokenSha256: undefined,
    issuedAt,
  })
  const answer = await surface.send({
    method: 'POST',
    path,
    headers: { 'x-agent-signature': encodeAgentSignature(issuedAt, key.sign(text)) },
    body,
  })
  const { agent, status_token: statusToken } = read(answer, 201, Registered)
  const bearer = (accessKey: string) => ({ authorization: `Bearer ${accessKey}` })
  return { agentId: agent.agent_id, statusToken, key, bearer }
}

const Nonce = z.looseObject({ nonce: z.string() })
const Claimed = z.looseObject({
  credential_envelope: z.looseObject({ credential: z.string() }),
})
/**
 * Claims the access key that waits for an agent; `version` names the claim. The nonce is kept before it is used, because only the same
 * handshake gets the same access key again.
 */
export async function claimAccessKey(
  session: Session,
  name: string,
  { statusToken, key }: Player,
  version = 1,
): Promise<string> {
  const { surface } = session
  const path = '/api/agents/handshake'
  const nonce = await keep(session, `nonce:${name}:${version}`, async () => {
    const offered = await surface.send({ method: 'GET', host: 'os', path })
    return read(offered, 200, Nonce).nonce
  })
  const body = {
    nonce,
    signature: key.sign(handshakeText(nonce, secretSha256(statusToken))),
    protocol_version: '1',
    claim_credential: true,
  }
  const headers = { 'x-status-token': statusToken }
  const claimed = await surface.send({ method: 'POST', host: 'os', path, headers, body })
  return read(claimed, 200, Claimed).credential_envelope.credential
}

/** An agent of the test with its first access key. */
export async function openPlayer(session: Session, name: string) {
  const player = await registerPlayer(session, name)
  const accessKey = await claimAccessKey(session, name, player)
  return { ...player, accessKey, headers: player.bearer(accessKey) }
}
export type KeyedPlayer = Awaited<ReturnType<typeof openPlayer>>

/** The body of an answer of this status and shape; otherwise the step has failed. */
export function read<T>({ status, body }: Answer, expected: number, shape: z.ZodType<T>): T {
  if (status !== expected)
    throw new Unmet(`status ${status ?? 'none'}, code ${codeOf(body) ?? 'none'}`)
  const parsed = shape.safeParse(body)
  if (parsed.success) return parsed.data
  throw new Unmet(`the answer has another shape at ${parsed.error.issues[0]?.path.join('/')}`)
}

/** The code of a problem. */
function codeOf(body: unknown): string | undefined {
  const { code } = (typeof body === 'object' && body !== null ? body : {}) as { code?: unknown }
  return typeof code === 'string' ? code.slice(0, 64) : undefined
}

/** Fails the step unless a refusal has this status and one of these codes. */
export function expectRefusal(
  { status, body }: Answer,
  expected: number,
  ...codes: readonly string[]
): void {
  const code = codeOf(body) ?? 'none'
  if (status !== expected || !codes.includes(code))
    throw new Unmet(`status ${status ?? 'none'}, code ${code}`)
}

/** Fails the step with this reason unless the condition holds. */
export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Unmet(otherwise)
}

/** An agent of a test as its key makes it: what it publishes, and how it signs a text (64 bytes as base64url). */
type AgentKey = {
  readonly publicJwk: { kty: 'OKP'; crv: 'Ed25519'; x: string }
  sign(text: string): string
}
type Named = { testRunId: string; agent: string; createdAt: Date }

/** The start of an Ed25519 private key in PKCS #8, before its 32 bytes (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * The key of an agent of a test, derived from the token key that was in use when the test began: a repeated step has the same key, and
 * none is stored.
 */
export function agentKeyOf(tokenKeys: readonly TokenKey[], { testRunId, agent, createdAt }: Named) {
  const began = createdAt.getTime() / 1000
  const newestFirst = [...tokenKeys].sort((one, other) => other.since - one.since)
  const used = newestFirst.find(({ since }) => since <= began) ?? newestFirst.at(-1)
  if (used === undefined) throw new Error('there is no token key')
  const seed = createHmac('sha256', used.key)
    .update(`harness-agent\0${testRunId}:${agent}`)
    .digest()
  return keyOf(
    createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' }),
  )
}

function keyOf(privateKey: KeyObject): AgentKey {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return {
    publicJwk: { kty: 'OKP', crv: 'Ed25519', x },
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  }
}
