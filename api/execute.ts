import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from '../activities/store/db.ts'
import type { CallIdentity } from '../activities/store/grants.ts'
import { paymentRequiredHeaders } from '../activities/x402/offers.ts'
import { digestOf } from '../workflows/domain/canonical-json.ts'
import { DomainError, type Refusal, refuse } from '../workflows/domain/errors.ts'
import { callId } from '../workflows/domain/ids.ts'
import { limits } from '../workflows/domain/limits.ts'
import { TooManyAttempts } from './auth/attempts.ts'
import { assertRails, authenticate } from './auth/authenticate.ts'
import { type Identity, identify } from './auth/identify.ts'
import { presentedWay } from './auth/presented.ts'
import { signedCall } from './auth/recall.ts'
import { bytesMaxOf } from './body-size.ts'
import type { CallAnswer, Caller, CallRequest } from './context.ts'
import { screenFreeText } from './forbidden-material.ts'
import { readInput, readValue, withParams } from './input.ts'
import { type Access, type AnyOperation, isPlain, waysOf } from './operation.ts'
import { checkOutput, runCall } from './pay/run-call.ts'
import { pickOperation } from './pick-operation.ts'
import { problemAnswer } from './problem.ts'
import { callerTicket } from './rate-limits.ts'
import type { RoadDeps } from './road.ts'

/** The operations of one path and method; their `mode` tells several apart. */
export type Operations = readonly [AnyOperation, ...AnyOperation[]]
/** `operation` is absent where the call was refused before its mode was read. */
export type Executed = { readonly answer: CallAnswer; readonly operation?: AnyOperation }

/**
 * The pipeline of every call: size → address limit → credential → JSON → proof over the body → schema → screening → authorize →
 * stored answer or join → caller limit → price → handle → check output → settle → answer (api-conventions.md). Never throws.
 */
export async function execute(operations: Operations, request: CallRequest, deps: RoadDeps): Promise<Executed> {
  const only = operations.length === 1 ? operations[0] : undefined
  const release = operations[0].unlimited ? () => undefined : await deps.unknownCalls(request.address)
  let admitted: Admitted | undefined
  try {
    admitted = await admit(operations, request, deps)
    if (admitted.identity.kind !== 'public' && admitted.identity.kind !== 'refused') release()
    return { operation: admitted.operation, answer: await travel(admitted, request, deps, release) }
  } catch (error) {
    release()
    if (error instanceof TooManyAttempts) await sleep(limits.guessedCredentialDelayMs)
    const operation = admitted?.operation ?? only
    const refusal = error instanceof DomainError ? error.refusal : unexpected(error, operation, request, deps)
    const problem = problemAnswer(refusal, {
      baseUrl: deps.baseUrl,
      requestId: request.requestId,
      access: operation?.access ?? accessOf(operations),
    })
    const answer = { ...problem, headers: { ...problem.headers, ...paymentRequiredHeaders(refusal) } }
    return operation === undefined ? { answer } : { answer, operation }
  }
}

function accessOf([first, ...others]: Operations): Access {
  return [...waysOf(first), ...others.flatMap((operation) => waysOf(operation))]
}

type Admitted = { readonly operation: AnyOperation; readonly value: unknown; readonly identity: Identity }

/** Finds out who calls what. A caller that nothing is known of costs one lookup or one signature check, and JSON of bounded size and depth. */
async function admit(operations: Operations, request: CallRequest, deps: RoadDeps): Promise<Admitted> {
  const [first] = operations
  assertSize(request, bytesMaxOf(operations, request))
  const identity = first.unlimited ? ({ kind: 'public' } as const) : await identifyWithin(operations, request, deps)
  if (identity.kind === 'public') assertSize(request, limits.bodyBytesMax)
  const value = readValue(first, request)
  return { operation: pickOperation(operations, value), value, identity }
}

/**
 * The caller, where its address may call: calls that prove nothing are counted per address. What this process can check by itself
 * is checked whatever the address did before, so that a right credential is accepted from any address.
 */
async function identifyWithin(operations: Operations, request: CallRequest, deps: RoadDeps): Promise<Identity> {
  const { address } = request
  const unproven = await deps.limits.address(address, operations[0].limits?.addressPerMinute)
  if (presentedWay(operations, request) === undefined) unproven.assertGranted()
  const identity = await identify(operations, request, deps)
  if (identity.kind === 'public' || identity.kind === 'refused') unproven.assertGranted()
  else unproven.putBack()
  return identity
}

function assertSize({ body }: CallRequest, bytesMax: number): void {
  if (body !== null && body.length > bytesMax)
    throw refuse('payload_too_large', `the body is over ${bytesMax} bytes`, 'Send a smaller body.')
}

async function travel(
  { operation, value, identity }: Admitted,
  request: CallRequest,
  deps: RoadDeps,
  release: () => void,
): Promise<CallAnswer> {
  assertSize(request, bytesMaxOf([operation], request))
  const { caller, proof } = await authenticate({ operation, request, value }, identity, deps)
  const input = readInput(operation, withParams(value, request))
  screenFreeText(operation.input, input)
  await assertRails(operation, input, caller, deps)
  const { authorize } = operation
  if (authorize !== undefined) {
    const asked = deps.context({ caller, callId: '', leads: false, requestId: request.requestId, sent: request })
    await deps.attempts.guard({ address: request.address }, async () => authorize(input, asked))
  }
  release()
  if (isPlain(operation)) return answerPlainly(operation, input, caller, request, deps)
  const presented = identifyCall(operation, input, caller, proof, request)
  const call = await signedCall({ operation, request, value }, input, presented, deps)
  return runCall({ operation, input, caller, call, request, deps, holder: randomUUID() })
}

/** A call that needs no row: handle, check, answer. */
async function answerPlainly(
  operation: AnyOperation,
  input: unknown,
  caller: Caller,
  request: CallRequest,
  deps: RoadDeps,
): Promise<CallAnswer> {
  const rate = await callerTicket(operation, caller, deps.limits)
  rate?.assertGranted()
  const reply = await operation.handle(
    input,
    deps.context({ caller, callId: '', leads: true, requestId: request.requestId, sent: request }),
  )
  return { status: reply.status ?? operation.status[0], headers: {}, body: checkOutput(operation, reply.body) }
}

function identifyCall(
  operation: AnyOperation,
  input: unknown,
  caller: Caller,
  proof: CallIdentity['proof'],
  request: CallRequest,
): CallIdentity {
  const { idempotency } = operation
  const key =
    'key' in idempotency
      ? (idempotency.key(input) ?? headerKey(request) ?? proof?.nonce ?? randomUUID())
      : digestOf([proof?.nonce ?? request.requestId, proof?.bodySha256 ?? input])
  if (idempotency.kind === 'body') assertSameKey(request.headers['idempotency-key'], key)
  const fingerprinted =
    idempotency.kind === 'natural'
      ? key
      : idempotency.kind === 'body' && idempotency.fingerprint
        ? idempotency.fingerprint(input)
        : input
  return {
    callId: callId(caller.id, operation.id, key),
    caller: caller.id,
    operation: operation.id,
    key,
    fingerprint: digestOf(fingerprinted),
    path: pathToKeep(operation, request),
    proof,
  }
}

/** A status token in the path is a secret and is written nowhere. */
const pathToKeep = ({ http }: AnyOperation, { path }: CallRequest): string =>
  http.path.includes('{token}') ? http.path : path

const keyForm = /^"?([A-Za-z0-9._:-]{1,128})"?$/

/** The key in the header, bare or as a structured-field string; 400 for anything else. */
function headerKey({ headers }: CallRequest): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  const [, key] = (typeof header === 'string' ? keyForm.exec(header) : null) ?? []
  if (key !== undefined) return key
  throw refuse(
    'invalid_request',
    'the Idempotency-Key header is not one key',
    'Send 1 to 128 of letters, digits, . _ : -',
  )
}

/** The header may repeat the body's key, bare or as a structured-field string; it may not contradict it. */
function assertSameKey(header: string | string[] | undefined, key: string): void {
  if (header === undefined || header === key || header === `"${key}"`) return
  throw refuse(
    'invalid_request',
    'the Idempotency-Key header and the body disagree',
    'Send the same key in both, or only in the body.',
    {
      errors: [{ pointer: '/idempotency_key', message: 'differs from the Idempotency-Key header' }],
    },
  )
}

function unexpected(
  error: unknown,
  operation: AnyOperation | undefined,
  request: CallRequest,
  deps: RoadDeps,
): Refusal {
  // A priced or writing call may have settled or moved something before the dependency went away.
  const money_moved = operation === undefined || isPlain(operation) ? 'no' : 'unknown'
  if (isUnavailable(error)) {
    const next = 'Repeat the call; it joins what may have begun.'
    return {
      code: 'unavailable',
      detail: 'a dependency does not answer',
      next_action: next,
      retry_after_ms: 1000,
      money_moved,
    }
  }
  deps.log.error({ err: error, request_id: request.requestId }, 'a call failed unexpectedly')
  const next = 'Repeat the call; if it fails again, tell the operator the request id.'
  return { code: 'internal_error', detail: 'the service failed', next_action: next, money_moved }
}
