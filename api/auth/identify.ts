import { DomainError, type Refusal } from '#domain/core/errors.ts'
import type { WalletProof } from '#domain/payouts/wallet-proof.ts'
import type { CredentialOfAgent } from '../../activities/store/agents/agent-credentials.ts'
import type { CallRequest, TokenSubject } from '../context.ts'
import { type AccessKind, type AnyOperation, waysOf } from '../operation.ts'
import { presentedCredentialId, recogniseCredential } from './agent.ts'
import type { AuthDeps } from './deps.ts'
import type { MayAskOthers } from './operator.ts'
import { type AuthenticatedOperator, authenticateOperator } from './operator.ts'
import { presentedWay } from './presented.ts'
import { presentedToken, recogniseToken } from './status-token.ts'
import { verifyWalletProof } from './wallet-proof.ts'

/** What a call proved before its JSON is read; the operation decides whether that is enough. */
export type Identity =
  | { readonly kind: 'public' }
  | { readonly kind: 'operator'; readonly operator: AuthenticatedOperator }
  | { readonly kind: 'agent'; readonly credential: CredentialOfAgent }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'status'; readonly token: TokenSubject & { readonly tokenSha256: string } }
  | { readonly kind: 'wallet'; readonly proof: WalletProof; readonly isNew: boolean }
  | { readonly kind: 'provider' }

/**
 * Identifies the caller by one lookup or one signature check, before the body is read as JSON; throws 401, 404 and 429. A call
 * that presents nothing is refused here where every operation of the path asks for a credential of the same kind.
 */
export async function identify(
  operations: readonly AnyOperation[],
  request: CallRequest,
  deps: AuthDeps,
): Promise<Identity> {
  const way = presentedWay(operations, request)
  if (way === 'agent' && operations.every(({ examines }) => examines === true))
    return examine(request, deps)
  if (way !== undefined) return recognise(way, operations, request, deps)
  const [needed, ...others] = new Set(operations.map((operation) => waysOf(operation)[0]))
  const mayBePublic = operations.some((operation) => waysOf(operation).includes('public'))
  if (mayBePublic || needed === undefined || others.length > 0) return { kind: 'public' }
  return recognise(needed, operations, request, deps)
}

/** Identifies the caller by one kind of access; throws 401 or 404 when the call does not present it. */
export async function recognise(
  way: AccessKind,
  operations: readonly AnyOperation[],
  request: CallRequest,
  deps: AuthDeps,
): Promise<Identity> {
  switch (way) {
    case 'public':
      return { kind: 'public' }
    case 'operator':
      return { kind: 'operator', operator: await findOperator(request, deps) }
    case 'agent':
      return { kind: 'agent', credential: await findCredential(request, deps) }
    case 'status':
      return { kind: 'status', token: await findToken(operations, request, deps) }
    case 'wallet': {
      const proof = await findWallet(request, deps)
      return { kind: 'wallet', proof, isNew: await deps.isNewWallet(proof.wallet) }
    }
    case 'provider':
      await findProvider(request, deps)
      return { kind: 'provider' }
  }
}

/** An operation that examines credentials reports a wrong one. */
const examine = (request: CallRequest, deps: AuthDeps): Promise<Identity> =>
  findCredential(request, deps).then(
    (credential): Identity => ({ kind: 'agent', credential }),
    (error: unknown): Identity => {
      if (error instanceof DomainError && error.refusal.code === 'credential_invalid')
        return { kind: 'refused', refusal: error.refusal }
      throw error
    },
  )

const findOperator = ({ address, headers }: CallRequest, deps: AuthDeps) =>
  deps.attempts.guard({ address }, () =>
    authenticateOperator(headers, deps.operators, mayAskOthers(address, deps)),
  )

function findCredential(request: CallRequest, deps: AuthDeps): Promise<CredentialOfAgent> {
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

const findToken = (
  operations: readonly AnyOperation[],
  request: CallRequest,
  { attempts, agents }: AuthDeps,
) =>
  attempts.guard({ address: request.address }, () =>
    recogniseToken(
      presentedToken(request),
      operations.flatMap(({ statusToken }) => statusToken?.prefixes ?? []),
      agents.findTokens,
    ),
  )

/** Webhooks are signed over their raw bytes. */
const findProvider = (
  { address, headers, body }: CallRequest,
  { attempts, verifyWebhook }: AuthDeps,
) => attempts.guard({ address }, () => verifyWebhook({ headers, raw: body ?? new Uint8Array() }))

async function findWallet(
  { address, headers, method, path }: CallRequest,
  deps: AuthDeps,
): Promise<WalletProof> {
  const nowSeconds = await deps.clock.nowSeconds()
  const asked = {
    header: headers['x-service-wallet-proof'],
    method,
    path,
    origin: deps.baseUrl,
    nowSeconds,
  }
  return deps.attempts.guard({ address }, () =>
    verifyWalletProof(asked, deps.wallets, mayAskOthers(address, deps)),
  )
}

/** The limits of the address apply before a check that asks another service. */
const mayAskOthers =
  (address: string, { limits, attempts }: AuthDeps): MayAskOthers =>
  async () => {
    const ticket = await limits.address(address)
    ticket.assertGranted()
    await attempts.assertFew(address)
  }
