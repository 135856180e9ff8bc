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

/**
 * Who makes a call, as its handler needs it. What only one kind of caller has throws for all others: an operation is never handled for a
 * kind that it does not let in.
 */
export const callerIn = (context: Context): CallerView => new CallerView(context)

class CallerView {
  private readonly context: Context

  constructor(context: Context) {
    this.context = context
  }

  /** The wallet that proved this call. */
  get wallet(): `0x${string}` {
    return this.ofKind('wallet').wallet
  }

  get operator(): Operator {
    return this.ofKind('operator')
  }

  /** The operator as records name it. */
  get namedOperator() {
    const { operatorId, name } = this.operator
    return { operatorId, name }
  }

  /** The call of an operator, as what it writes names both. */
  get operatorCall() {
    return { operator: this.operator.id, callId: this.context.callId }
  }

  /** The status token behind this call, and whose it is. */
  get token(): Token {
    return this.ofKind('status')
  }

  /** The raw request of a provider, whose signature covers these bytes. */
  get signedEvent(): Provider['signed'] {
    return this.ofKind('provider').signed
  }

  /** The agent for whom this call is made, by its access key or its status token; undefined for all other callers. */
  get agentId(): string | undefined {
    const { caller } = this.context
    if (caller.kind === 'public') return caller.credential?.agent_id
    return caller.kind === 'agent' || caller.kind === 'status' ? caller.agentId : undefined
  }

  /** As `agentId`, for operations that are never handled for another kind of caller. */
  get requiredAgentId(): string {
    const { agentId } = this
    if (agentId === undefined) throw this.unexpected('an agent')
    return agentId
  }

  /** As `agentId`, for records of an agent in a public operation; throws 401 `credential_required` for all other callers. */
  agentIdFor(detail: string): string {
    const { agentId } = this
    if (agentId === undefined) throw refuse('credential_required', { detail })
    return agentId
  }

  /** As `agentIdFor`, where the access key needs a scope; throws 403 `scope_denied` without it. */
  scopedAgentId(scope: Scope, detail: string): string {
    const agentId = this.agentIdFor(detail)
    const { caller } = this.context
    const held = caller.kind === 'public' ? caller.credential : undefined
    if (held !== undefined && accessWithin(held.limits, held).scopes.includes(scope)) return agentId
    throw refuse('scope_denied', { detail: `the credential has no scope ${scope}` })
  }

  /** Whether a sandbox agent makes this call. */
  get isSandbox(): boolean {
    const { caller } = this.context
    return caller.kind === 'agent' && caller.credential.sandbox
  }

  /** The agent behind a production write, its access key, and the tool by which it called. */
  get writer(): Writer {
    const { agentId, credential } = this.ofKind('agent')
    const { credential_id: credentialId } = credential
    return { agentId, credentialId, tool: this.context.sent.tool ?? null }
  }

  /** The order without an agent whose token this call presents. */
  get orderId(): string | undefined {
    const { caller } = this.context
    return caller.kind === 'status' && caller.prefix === 'wt' && caller.agentId === ''
      ? caller.subjectId
      : undefined
  }

  /** Who pays: an agent, or the holder of the token of an order without one. */
  get payer(): Payer {
    const workOrderId = this.orderId
    return workOrderId === undefined ? { agentId: this.requiredAgentId } : { workOrderId }
  }

  /** The subject of the call: of its status token, or as an operator names it in the path. */
  get subjectId(): string {
    const { caller } = this.context
    if (caller.kind === 'status') return caller.subjectId
    if (caller.kind === 'operator' && caller.subject !== undefined) return caller.subject.subjectId
    throw this.unexpected('a subject')
  }

  /** The actor on a task: an agent for its own tasks, the holder of a task's or an order's token for that, an operator for any. */
  get taskActor(): TaskActor {
    const { caller } = this.context
    if (caller.kind === 'operator') return { actor: caller.id, actorName: caller.name }
    if (caller.kind !== 'agent' && caller.kind !== 'status') throw this.unexpected('an agent')
    const { agentId, id: actor } = caller
    if (caller.kind === 'agent' || caller.prefix === 'st') return { actor, agentId }
    if (caller.prefix === 'wt') return { actor, agentId, workOrderId: caller.subjectId }
    return { actor: agentId === '' ? 'public' : actor, agentId, taskId: caller.subjectId }
  }

  /** The caller that reads a run of its own; throws 401 for one that presents nothing. */
  get runReader(): TaskActor {
    this.agentIdFor('a run is read by its agent')
    return this.taskActor
  }

  /** The credential that a public operation examines; undefined where none was presented. */
  get presentedCredential(): Presented | undefined {
    const { caller } = this.context
    return caller.kind === 'public' ? caller.presented : undefined
  }

  /** The agent whose access key a public operation is called with. */
  get proofAgent(): ProofAgent | undefined {
    const { caller } = this.context
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
  get asking(): Asking {
    const { caller, callId } = this.context
    const address = caller.kind === 'public' ? caller.address : ''
    return { agent: this.proofAgent, address, callId, network: this.computeNetwork }
  }

  /** The network whose budget of processor time a call uses; null for an agent that is trusted and for an operator. */
  get computeNetwork(): ComputeNetwork {
    const { caller, network } = this.context
    if (caller.kind === 'operator') return null
    const agent =
      caller.kind === 'public' || caller.kind === 'agent' ? caller.credential : undefined
    return agent !== undefined && isTrusted(agent) ? null : network
  }

  private ofKind<Kind extends Caller['kind']>(kind: Kind): Extract<Caller, { kind: Kind }> {
    const { caller } = this.context
    if (caller.kind === kind) return caller as Extract<Caller, { kind: Kind }>
    throw this.unexpected(`the kind ${kind}`)
  }

  private unexpected(expected: string): TypeError {
    return new TypeError(`${expected} is expected, the caller is ${this.context.caller.kind}`)
  }
}

/** The body of a call as a stream. */
export function sentStream({ sent }: Context): BodyStream {
  if (sent.stream === undefined) throw new TypeError('this call has no stream')
  return sent.stream
}

/** The access key behind a call, also where its operation needs none; one that the operation only examines counts where it is good. */
export function goodKeyOf(caller: Caller): CredentialOfAgent | undefined {
  if (caller.kind === 'agent') return caller.credential
  if (caller.kind !== 'public') return undefined
  const { credential, presented } = caller
  if (presented === undefined || !('credential' in presented)) return credential
  return denialOf(presented.credential) === undefined ? presented.credential : undefined
}
