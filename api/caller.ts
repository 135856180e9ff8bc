import type { Scope } from '#domain/agents/credential.ts'
import { isTrusted } from '#domain/agents/trust.ts'
import { accessWithin } from '#domain/agents/trust-limits.ts'
import { refuse } from '#domain/core/errors.ts'
import type { CredentialOfAgent } from '../activities/store/agents/agent-credentials.ts'
import type { ComputeNetwork } from '../activities/store/calls/compute.ts'
import { denialOf } from './auth/credential-standing.ts'
import type { BodyStream, Caller, Context, Presented } from './context.ts'
import type { Writer } from './services/authority/write-gate.ts'
import type { ProofAgent } from './services/commerce/gather.ts'
import type { Payer } from './services/credit/payments.ts'
import type { Asking } from './services/evidence/analyses.ts'
import type { TaskActor } from './services/tasks/access.ts'

type Operator = Extract<Caller, { kind: 'operator' }>
type Provider = Extract<Caller, { kind: 'provider' }>
type Token = Extract<Caller, { kind: 'status' }>

/** The wallet that proved this call; a wallet operation is never handled for another kind of caller. */
export function callingWallet({ caller }: Context): `0x${string}` {
  if (caller.kind !== 'wallet')
    throw new TypeError(`a wallet is expected, the caller is ${caller.kind}`)
  return caller.wallet
}

/** The operator behind this call; an operator operation is never handled for another kind of caller. */
export function callingOperator({ caller }: Context): Operator {
  if (caller.kind !== 'operator')
    throw new TypeError(`an operator is expected, the caller is ${caller.kind}`)
  return caller
}

/** The status token behind this call, and whose it is; an operation of status tokens is never handled for another kind of caller. */
export function callingToken({ caller }: Context): Token {
  if (caller.kind !== 'status')
    throw new TypeError(`a status token is expected, the caller is ${caller.kind}`)
  return caller
}

/** The agent for whom this call is made, by its access key or its status token; undefined for all other callers. */
export function agentIdOf({ caller }: Context): string | undefined {
  if (caller.kind === 'public') return caller.credential?.agent_id
  return caller.kind === 'agent' || caller.kind === 'status' ? caller.agentId : undefined
}

/** The order without an agent whose token this call presents. */
export function orderOf({ caller }: Context): string | undefined {
  return caller.kind === 'status' && caller.prefix === 'wt' && caller.agentId === ''
    ? caller.subjectId
    : undefined
}

/** Who pays: an agent, or the holder of the token of an order without one. */
export function payerOf(context: Context): Payer {
  const workOrderId = orderOf(context)
  return workOrderId === undefined ? { agentId: callingAgentId(context) } : { workOrderId }
}

/** As `agentIdOf`, for records of an agent in a public operation; throws 401 `credential_required` for all other callers. */
export function readingAgentId(context: Context, detail: string): string {
  const agentId = agentIdOf(context)
  if (agentId === undefined) throw refuse('credential_required', { detail })
  return agentId
}

/** As `agentIdOf`, for operations that are never handled for another kind of caller. */
export function callingAgentId(context: Context): string {
  const agentId = agentIdOf(context)
  if (agentId === undefined)
    throw new TypeError(`an agent is expected, the caller is ${context.caller.kind}`)
  return agentId
}

/** The raw request of a provider, whose signature covers these bytes. */
export function signedEvent({ caller }: Context): Provider['signed'] {
  if (caller.kind !== 'provider')
    throw new TypeError(`a provider is expected, the caller is ${caller.kind}`)
  return caller.signed
}

/** The subject of the call: of its status token, or as an operator names it in the path. */
export function subjectOf({ caller }: Context): string {
  if (caller.kind === 'status') return caller.subjectId
  if (caller.kind === 'operator' && caller.subject !== undefined) return caller.subject.subjectId
  throw new TypeError(`a subject is expected, the caller is ${caller.kind}`)
}

/** The actor on a task: an agent for its own tasks, the holder of a task's or an order's token for that, an operator for any. */
export function moverOf({ caller }: Context): TaskActor {
  if (caller.kind === 'operator') return { actor: caller.id, actorName: caller.name }
  if (caller.kind !== 'agent' && caller.kind !== 'status')
    throw new TypeError(`an agent is expected, the caller is ${caller.kind}`)
  const { agentId, id: actor } = caller
  if (caller.kind === 'agent' || caller.prefix === 'st') return { actor, agentId }
  if (caller.prefix === 'wt') return { actor, agentId, workOrderId: caller.subjectId }
  return { actor: agentId === '' ? 'public' : actor, agentId, taskId: caller.subjectId }
}

/** The credential that a public operation examines; undefined where none was presented. */
export function presentedCredential({ caller }: Context): Presented | undefined {
  return caller.kind === 'public' ? caller.presented : undefined
}

/** The agent behind this call; an operation of agents is never handled for another kind of caller. */
export function callingAgent({ caller }: Context): string {
  if (caller.kind !== 'agent')
    throw new TypeError(`an agent is expected, the caller is ${caller.kind}`)
  return caller.agentId
}

/** The agent behind a production write, its access key, and the tool by which it called. */
export function writerOf({ caller, sent }: Context): Writer {
  if (caller.kind !== 'agent')
    throw new TypeError(`an agent is expected, the caller is ${caller.kind}`)
  const { credential_id: credentialId } = caller.credential
  return { agentId: caller.agentId, credentialId, tool: sent.tool ?? null }
}

/** The body of a call as a stream. */
export function sentStream({ sent }: Context): BodyStream {
  if (sent.stream === undefined) throw new TypeError('this call has no stream')
  return sent.stream
}

/** Whether a sandbox agent makes this call. */
export const isSandbox = ({ caller }: Context): boolean =>
  caller.kind === 'agent' && caller.credential.sandbox

/** As `readingAgentId`, where the access key needs a scope; throws 403 `scope_denied` without it. */
export function scopedAgentId(context: Context, scope: Scope, detail: string): string {
  const agentId = readingAgentId(context, detail)
  const { caller } = context
  const held = caller.kind === 'public' ? caller.credential : undefined
  if (held !== undefined && accessWithin(held.limits, held).scopes.includes(scope)) return agentId
  throw refuse('scope_denied', { detail: `the credential has no scope ${scope}` })
}

/** The operator behind a call, as records name it. */
export function operatorOf(context: Context) {
  const { operatorId, name } = callingOperator(context)
  return { operatorId, name }
}

/** The call of an operator, as what it writes names both. */
export const operatorCall = (context: Context) => ({
  operator: callingOperator(context).id,
  callId: context.callId,
})

/** The agent whose access key the call presents. */
export function provenAgent({ caller }: Context): ProofAgent | undefined {
  const credential = caller.kind === 'public' ? caller.credential : undefined
  if (credential === undefined) return undefined
  const { agent_id, credential_id, trust_state, rails, scopes, sandbox } = credential
  return {
    agentId: agent_id,
    credentialId: credential_id,
    trust: trust_state,
    rails,
    sandbox,
    mayPublish: scopes.includes('proofs:publish'),
  }
}

/** Who asks for an analysis: an agent by its access key, or an address. */
export function askingOf(context: Context): Asking {
  const { caller, callId } = context
  const address = caller.kind === 'public' ? caller.address : ''
  return { agent: provenAgent(context), address, callId, network: computeNetworkOf(context) }
}

/** The network whose budget of processor time a call uses; null for an agent that is trusted and for an operator. */
export function computeNetworkOf({ caller, network }: Context): ComputeNetwork {
  if (caller.kind === 'operator') return null
  const agent = caller.kind === 'public' || caller.kind === 'agent' ? caller.credential : undefined
  return agent !== undefined && isTrusted(agent) ? null : network
}

/** The caller that reads a run of its own; throws 401 for one that presents nothing. */
export function runReader(context: Context) {
  readingAgentId(context, 'a run is read by its agent')
  return moverOf(context)
}

/** The access key behind a call, also where its operation needs none; one that the operation only examines counts where it is good. */
export function goodKeyOf(caller: Caller): CredentialOfAgent | undefined {
  if (caller.kind === 'agent') return caller.credential
  if (caller.kind !== 'public') return undefined
  const { credential, presented } = caller
  if (presented === undefined || !('credential' in presented)) return credential
  return denialOf(presented.credential) === undefined ? presented.credential : undefined
}
