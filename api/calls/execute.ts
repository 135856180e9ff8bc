import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError, type Refusal, refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { screenFreeText } from '../../activities/screening/free-text.ts'
import { isUnavailable } from '../../activities/store/postgres/db.ts'
import { TooManyAttempts } from '../auth/attempts.ts'
import { admitted, authenticate } from '../auth/authenticate.ts'
import type { CallAnswer, CallRequest } from '../context.ts'
import { type Access, type AnyOperation, isPlain, waysOf } from '../operation.ts'
import { answerRead, answerStored } from './answer.ts'
import type { Attempt } from './attempts-at-once.ts'
import { bytesMaxOf } from './body-size.ts'
import type {
  AuthorizedCall,
  CallExecution,
  Executed,
  IdentifiedCall,
  Operations,
  ReceivedCall,
} from './call.ts'
import { callerTickets, readWithin } from './caller-tickets.ts'
import { type Claim, claimAgain, claimCall } from './claim.ts'
import type { PipelineDeps } from './deps.ts'
import { bodyOf, checkOutput, contextWith } from './handle.ts'
import { assertSize, identifyCall, isUnproven } from './identify-call.ts'
import { identifyRepeat } from './identify-repeat.ts'
import { readInput, withParams } from './input.ts'
import { offeringMpp } from './mpp-payment.ts'
import { problemAnswer } from './problem.ts'
import { leadCall, runEffect } from './run-effect.ts'
import { settleCall, settlementPending } from './settlement.ts'

/**
 * The pipeline of every call, in this order: size → address limit → credential → JSON → proof over the body → schema → screening →
 * authorize → stored answer or join → caller limit → price → handle → check output → settle → answer. Never throws.
 */
export async function execute(
  operations: Operations,
  request: CallRequest,
  deps: PipelineDeps,
): Promise<Executed> {
  const received = { operations, request, deps }
  const release = operations[0].http.unlimited
    ? () => undefined
    : await deps.unknownCalls(request.address)
  let identified: IdentifiedCall | undefined
  try {
    identified = await identifyCall(received)
    if (!isUnproven(identified.presented)) release()
    const call = await authorizeCall(identified)
    release()
    const answer = isPlain(call.operation)
      ? await answerPlainly(call)
      : await runOffered(await identifyRepeat(call))
    return { operation: identified.operation, answer }
  } catch (error) {
    release()
    if (error instanceof TooManyAttempts) await sleep(limits.guessedCredentialDelayMs)
    return refuseCall(received, identified?.operation, error)
  }
}

/** Proof over the body → schema → screening → authorize. */
async function authorizeCall(call: IdentifiedCall): Promise<AuthorizedCall> {
  const { operation, request, deps, value } = call
  assertSize(request, bytesMaxOf([operation], request))
  const { caller: known, proof } = await authenticate(call, call.presented, deps)
  const input = await readWithin({ operation, caller: known, request, deps }, () => {
    const read = readInput(operation, withParams(value, request))
    screenFreeText(operation.input, read)
    return read
  })
  const caller = await admitted({ operation, input }, known, deps)
  const authorized = { operation, request, deps, value, input, caller, proof }
  const { authorize } = operation
  if (authorize !== undefined)
    await deps.attempts.guard({ address: request.address }, async () =>
      authorize(input, contextWith(authorized, '', false)),
    )
  return authorized
}

/** A call that needs no row: caller limit and quotas → handle → check output → answer. */
async function answerPlainly(call: AuthorizedCall): Promise<CallAnswer> {
  const { operation, input } = call
  const tickets = await callerTickets(call)
  try {
    tickets?.assertGranted()
  } finally {
    tickets?.putBack()
  }
  const reply = bodyOf(operation, await operation.handle(input, contextWith(call, '', true)))
  return {
    status: reply.status ?? operation.status[0],
    headers: { ...tickets?.headers, ...reply.headers },
    body: checkOutput(operation, reply.body),
  }
}

/** A call of a caller that may be asked to pay. */
const runOffered = (call: CallExecution): Promise<CallAnswer> =>
  offeringMpp(call, () => runOnce(call))

/**
 * A call whose effect or charge happens once: it is claimed until a claim gives its answer. Repeats claim one after the other, so that
 * only a call that is not granted yet has its payment verified.
 */
export async function runOnce(call: CallExecution): Promise<CallAnswer> {
  const { deps, identity } = call
  const { UPDATE_WAIT_MS: updateMs, SETTLE_WAIT_MS: settleMs } = deps.config
  const until = performance.now() + updateMs
  const attempt = deps.beginAttempt(identity.callId, updateMs + settleMs)
  try {
    for (let claim = claimCall; ; claim = claimAgain) {
      const claimed = await deps.callerQueue(identity.callId, () => {
        if (performance.now() >= until + settleMs) throw stillRunning()
        return claim(call)
      })
      const answer = await followClaim(call, claimed, { attempt, until })
      if (answer !== undefined) return answer
    }
  } finally {
    attempt.end()
  }
}

/** The answer of a claimed call; undefined where it has to be claimed again. */
async function followClaim(
  call: CallExecution,
  claim: Claim,
  { attempt, until }: { attempt: Attempt; until: number },
): Promise<CallAnswer | undefined> {
  const settledBy = until + call.deps.config.SETTLE_WAIT_MS
  switch (claim.kind) {
    case 'read':
      return answerRead(call, claim.reply, { paid: claim.paid })
    case 'replay':
      return answerStored(call, claim.row, { replayed: true })
    case 'join':
      return runEffect(call, { leads: false })
    case 'lead':
      return leadCall(call, { paid: claim.paid, until })
    case 'settle':
      if (attempt.isFirst()) await settleCall(call, claim.row)
      else if (performance.now() >= settledBy) throw settlementPending()
      else await attempt.otherEnded(settledBy - performance.now())
      return undefined
    case 'wait':
      if (performance.now() >= until) throw stillRunning()
      if (attempt.isFirst()) await call.deps.changes.wait(call.identity.callId, 250)
      else await attempt.otherEnded(until - performance.now())
      return undefined
  }
}

const stillRunning = () =>
  refuse('idempotency_in_flight', {
    detail: 'the same call is still running',
    money_moved: 'unknown',
    retry_after_ms: 1000,
  })

function refuseCall(
  call: ReceivedCall,
  picked: AnyOperation | undefined,
  error: unknown,
): Executed {
  const { operations, request, deps } = call
  const operation = picked ?? onlyOperation(operations)
  const isKnown = error instanceof DomainError
  const refusal = isKnown ? error.refusal : unexpectedRefusal(call, operation, error)
  const answer = problemAnswer(refusal, {
    baseUrl: deps.baseUrl,
    requestId: request.requestId,
    traceId: request.traceId,
    access: operation?.access ?? accessOf(operations),
  })
  return { answer, operation }
}

function onlyOperation([first, ...others]: Operations): AnyOperation | undefined {
  return others.length === 0 ? first : undefined
}

function accessOf([first, ...others]: Operations): Access {
  return [...waysOf(first), ...others.flatMap((operation) => waysOf(operation))]
}

function unexpectedRefusal(
  { request, deps }: ReceivedCall,
  operation: AnyOperation | undefined,
  error: unknown,
): Refusal {
  // A priced or writing call may have settled or moved something before the dependency failed.
  const money_moved = operation === undefined || isPlain(operation) ? 'no' : 'unknown'
  if (isUnavailable(error)) {
    const detail = 'a dependency does not answer'
    return refuse('unavailable', { detail, retry_after_ms: 1000, money_moved }).refusal
  }
  const ids = { request_id: request.requestId, trace_id: request.traceId }
  deps.log.error({ err: error, ...ids }, 'a call failed unexpectedly')
  return refuse('internal_error', { detail: 'the service failed', money_moved }).refusal
}
