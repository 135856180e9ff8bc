import type { CallIdentity } from '../../activities/store/grants.ts'
import { judgeCredential } from '../../workflows/domain/credential.ts'
import { DomainError, refuse } from '../../workflows/domain/errors.ts'
import type { Caller, CallRequest, Presented } from '../context.ts'
import { type AccessKind, type AnyOperation, waysOf } from '../operation.ts'
import type { RoadDeps } from '../road.ts'
import { factsOf, presentedCredentialId, recogniseCredential } from './agent.ts'
import { assertSigned } from './agent-signature.ts'
import { railsOf } from './named-rails.ts'
import { authenticateOperator, isOperatorHeader } from './operator.ts'
import { presentedToken, recogniseSubject, recogniseToken } from './status-token.ts'
import { authenticateWallet } from './wallet-proof.ts'

/** Who calls, and the proof whose nonce the call uses up. */
export type Authenticated = { caller: Caller; proof: CallIdentity['proof'] }
/** A call whose input was read; `value` is its body or query as sent. */
export type ReadCall = { operation: AnyOperation; request: CallRequest; value: unknown; input: unknown }

/** Finds out who calls, by the kind of access that fits what is presented; throws 401, 403, 404 and 429. */
export async function authenticate(call: ReadCall, deps: RoadDeps): Promise<Authenticated> {
  switch (pickWay(call)) {
    case 'public':
      return { caller: await publicCaller(call, deps), proof: null }
    case 'operator':
      return { caller: await operatorCaller(call, deps), proof: null }
    case 'agent':
      return { caller: await agentCaller(call, deps), proof: null }
    case 'status':
      return { caller: await tokenCaller(call, deps), proof: null }
    case 'provider':
      return { caller: providerCaller(call), proof: null }
    case 'wallet':
      return walletCaller(call, deps)
  }
}

/** A credential that is presented is checked, never passed over for a way that needs none. */
function pickWay({ operation, request }: ReadCall): AccessKind {
  const ways = waysOf(operation)
  const { headers } = request
  const presented: Partial<Record<AccessKind, boolean>> = {
    operator: isOperatorHeader(headers['authorization']),
    agent: headers['authorization'] !== undefined,
    status: presentedToken(request) !== undefined,
    wallet: headers['x-service-wallet-proof'] !== undefined,
    public: true,
  }
  const order: readonly AccessKind[] = ['operator', 'agent', 'status', 'wallet', 'public']
  return order.find((way) => ways.includes(way) && presented[way]) ?? ways[0]
}

async function publicCaller({ operation, request }: ReadCall, deps: RoadDeps): Promise<Caller> {
  const unknown = { kind: 'public', id: `address:${request.address}` } as const
  if (operation.examines !== true || request.headers['authorization'] === undefined) return unknown
  const presented = await recognise(request, deps).then(
    (credential): Presented => ({ credential }),
    (error: unknown): Presented => {
      if (error instanceof DomainError && error.refusal.code === 'credential_invalid') return { refusal: error.refusal }
      throw error
    },
  )
  const id = 'credential' in presented ? `agent:${presented.credential.agent_id}` : unknown.id
  return { ...unknown, id, presented }
}

function operatorCaller({ operation, request }: ReadCall, deps: RoadDeps): Promise<Caller> {
  return deps.attempts.guard({ address: request.address }, async () => {
    const operator = await authenticateOperator(request.headers['authorization'], deps.operators)
    const caller = { kind: 'operator', id: `operator:${operator.operatorId}`, ...operator } as const
    const { token } = request.params
    if (token === undefined || operation.statusToken === undefined) return caller
    const subject = await recogniseSubject(token, operation.statusToken.prefixes, deps.agents.findTokens)
    return { ...caller, subject }
  })
}

/** The operation that takes webhooks judges their signature over these bytes. */
const providerCaller = ({ request: { headers, body } }: ReadCall): Caller => ({
  kind: 'provider',
  id: 'provider',
  signed: { headers, raw: body ?? new Uint8Array() },
})

const recognise = ({ headers, address }: CallRequest, deps: RoadDeps) =>
  deps.attempts.guard({ address, credentialId: presentedCredentialId(headers['authorization']) }, () =>
    recogniseCredential(headers['authorization'], deps.agents.findCredential),
  )

async function agentCaller({ operation, request, input }: ReadCall, deps: RoadDeps): Promise<Caller> {
  const { needs, id } = operation
  if (needs === undefined) throw new Error(`the operation ${id} does not say what it needs of a credential`)
  const credential = await recognise(request, deps)
  const named = await railsOf(operation, input, (given) => deps.agents.railsNamed(credential.agent_id, given))
  const wanted = { scopes: needs.scopes, rail: named.find((rail) => !credential.rails.includes(rail)) }
  const [denial] = judgeCredential(factsOf(credential), wanted, credential.readAt)
  if (denial !== undefined)
    throw refuse(
      denial.code,
      denial.detail,
      'Use a live credential of a trusted agent that covers this; its status URL tells.',
    )
  return { kind: 'agent', id: `agent:${credential.agent_id}`, agentId: credential.agent_id, credential }
}

async function tokenCaller({ operation, request, value }: ReadCall, deps: RoadDeps): Promise<Caller> {
  const { statusToken, http, id } = operation
  if (statusToken === undefined) throw new Error(`the operation ${id} does not say which status tokens it takes`)
  return deps.attempts.guard({ address: request.address }, async () => {
    const token = await recogniseToken(presentedToken(request), statusToken.prefixes, deps.agents.findTokens)
    const { method, path, headers } = request
    const origin = http.host === 'os' ? deps.osUrl : deps.baseUrl
    const nowSeconds = await deps.clock.nowSeconds()
    const signed = {
      header: headers['x-agent-signature'],
      agentId: token.agentId,
      origin,
      method,
      path,
      body: value,
      nowSeconds,
    }
    if (statusToken.signed) await assertSigned(signed, deps.agents.spokeFor)
    return { kind: 'status', id: `agent:${token.agentId}`, ...token }
  })
}

async function walletCaller({ request, value }: ReadCall, deps: RoadDeps): Promise<Authenticated> {
  const { method, path, headers } = request
  const asked = {
    header: headers['x-service-wallet-proof'],
    method,
    path,
    body: value,
    origin: deps.baseUrl,
    nowSeconds: await deps.clock.nowSeconds(),
  }
  const proof = await authenticateWallet(asked, deps.wallets).catch(async (error: unknown) => {
    await deps.limits.failedProof(request.address)
    throw error
  })
  return { caller: { kind: 'wallet', id: `wallet:${proof.wallet}`, wallet: proof.wallet }, proof }
}
