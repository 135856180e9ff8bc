import { z } from 'zod'
import { DomainError, refuse } from '#domain/core/errors.ts'
import type {
  DelegatedResult,
  DelegatedRun,
  RunOperations,
} from '../../activities/authority/delegation.ts'
import { screenFreeText } from '../../activities/screening/free-text.ts'
import type { CredentialOfAgent } from '../../activities/store/agents/agent-credentials.ts'
import type { AgentCall } from '../../activities/tasks/firings.ts'
import { currentTraceId } from '../../activities/tracing/spans.ts'
import { agentCaller, agentWith } from '../auth/agent.ts'
import { assertRails, type RailLookup } from '../auth/rails.ts'
import type { AdmittedCall } from '../calls/call.ts'
import type { PipelineDeps } from '../calls/deps.ts'
import { runOnce } from '../calls/execute.ts'
import { contextWith } from '../calls/handle.ts'
import { readInput } from '../calls/input.ts'
import { identifyRepeat, identityOf } from '../calls/repeat.ts'
import type { CallRequest } from '../context.ts'
import type { AnyOperation } from '../operation.ts'

/** The input of a delegated action, as the operation reads it; 400 with pointers under `/action/input`, 422 for secret material. */
export const readDelegated = (operation: AnyOperation, input: Record<string, unknown>): unknown =>
  belowInput(() => {
    const given = operation.mode === undefined ? input : { mode: operation.mode, ...input }
    const parsed = readInput(operation, given)
    screenFreeText(operation.input, parsed)
    return parsed
  })

const Unread = z.unknown().meta({ 'x-free-text': true })
/** Screens an input that no operation reads, all of it as free text; 422 for secret material. */
export const screenUnread = (input: Record<string, unknown>): void =>
  belowInput(() => screenFreeText(Unread, input))

/** Moves the pointers of a refusal below the input of the action. */
function belowInput<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const { errors = [] } = error.refusal
    const moved = errors.map((one) => ({ ...one, pointer: `/action/input${one.pointer}` }))
    throw new DomainError({ ...error.refusal, errors: moved })
  }
}

/** Throws unless the credential covers the scopes and rails that the operation needs for this input. */
export async function assertCovered(
  operation: AnyOperation,
  input: unknown,
  credential: CredentialOfAgent,
  deps: RailLookup,
): Promise<void> {
  await assertRails({ operation, input }, agentCaller(operation, credential), deps)
}

/** The id of the call that the operation makes for this input: its own idempotency key names it. */
export const operationCallId = (
  operation: AnyOperation,
  input: unknown,
  credential: CredentialOfAgent,
): string => identityOf(callOf(operation, input, credential)).callId

type Bare = Omit<AdmittedCall, 'deps'>

function callOf(operation: AnyOperation, input: unknown, credential: CredentialOfAgent): Bare {
  return {
    operation,
    input,
    value: input,
    caller: agentWith(credential),
    proof: null,
    request: requestOf(operation, credential.agent_id),
  }
}

/** A delegated action has no request of its own: nothing is presented with it, and no address limits it. */
const requestOf = ({ http: { method, path } }: AnyOperation, requestId: string): CallRequest => ({
  body: null,
  query: {},
  headers: {},
  method,
  path,
  params: {},
  address: '',
  requestId,
  traceId: currentTraceId() ?? '',
})

/** Runs the operations of the registry for delegated actions, through the pipeline of every call. */
export function createDelegatedCalls(
  deps: PipelineDeps,
  registry: readonly AnyOperation[],
): RunOperations {
  const read = async ({ operationId, input, credentialId }: DelegatedRun) => {
    const operation = registry.find(({ id, delegable }) => id === operationId && delegable)
    const credential = await deps.agents.findCredential(credentialId)
    if (operation === undefined || credential === undefined) return undefined
    return { operation, credential, input: readDelegated(operation, input) }
  }
  return {
    authorize: async (run) => {
      const known = await read(run)
      if (known === undefined)
        throw refuse('authority_denied', { detail: 'the operation can no longer be delegated' })
      const { operation, credential, input } = known
      await assertCovered(operation, input, credential, deps)
      const call = { ...callOf(operation, input, credential), deps }
      await operation.authorize?.(input, contextWith(call, '', false))
      await operation.authorizeDelegated?.(input, contextWith(call, '', false))
    },
    perform: async (run) => {
      const known = await read(run)
      // It has started, so this proves nothing about its effect.
      if (known === undefined) throw new Error(`${run.operationId} is missing here`)
      const { operation, credential, input } = known
      const call = { ...callOf(operation, input, credential), deps }
      const answer = await runOnce(await identifyRepeat(call))
      return storable(operation, answer)
    },
  }
}

/**
 * Runs operations for an agent that scheduled them with one of its access keys, as its own calls; a repeat joins the first. An operation
 * that writes passes the write gate, which judges the key in the transaction of the write.
 */
export const createAgentCalls =
  (deps: PipelineDeps, registry: readonly AnyOperation[]): AgentCall =>
  async ({ operationId, credentialId, input: given }) => {
    const operation = registry.find(({ id }) => id === operationId)
    const credential = await deps.agents.findCredential(credentialId)
    if (operation === undefined || credential === undefined)
      throw new Error(`${operationId} or ${credentialId} is missing here`)
    const input = readDelegated(operation, given)
    const call = { ...callOf(operation, input, credential), deps }
    return storable(operation, await runOnce(await identifyRepeat(call)))
  }

function storable(
  { undelegated = [] }: AnyOperation,
  { status, body }: { status: number; body: unknown },
): DelegatedResult {
  const members = Object.entries(Object(body)).filter(([name]) => !undelegated.includes(name))
  return { status, body: Object.fromEntries(members) }
}
