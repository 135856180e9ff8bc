import { randomUUID } from 'node:crypto'
import { isUnavailable } from '../activities/store/db.ts'
import type { CallIdentity } from '../activities/store/grants.ts'
import { paymentRequiredHeaders } from '../activities/x402/offers.ts'
import { digestOf } from '../workflows/domain/canonical-json.ts'
import { DomainError, type Refusal, refuse } from '../workflows/domain/errors.ts'
import { callId } from '../workflows/domain/ids.ts'
import { limits } from '../workflows/domain/limits.ts'
import { authenticate } from './auth/authenticate.ts'
import type { CallAnswer, Caller, CallRequest } from './context.ts'
import { readInput, readValue, withParams } from './input.ts'
import { type AnyOperation, isPlain } from './operation.ts'
import { checkOutput, runCall } from './pay/run-call.ts'
import { problemAnswer } from './problem.ts'
import { callerTicket } from './rate-limits.ts'
import type { RoadDeps } from './road.ts'

/**
 * The one road of every call: size → address limit → JSON → schema → authenticate → authorize → stored answer or join → caller limit →
 * price → handle → check output → settle → answer (api-conventions.md). Never throws.
 */
export async function execute(operation: AnyOperation, request: CallRequest, deps: RoadDeps): Promise<CallAnswer> {
  try {
    return await travel(operation, request, deps)
  } catch (error) {
    const refusal = error instanceof DomainError ? error.refusal : unexpected(error, operation, request, deps)
    const problem = problemAnswer(refusal, {
      baseUrl: deps.baseUrl,
      requestId: request.requestId,
      access: operation.access,
    })
    return { ...problem, headers: { ...problem.headers, ...paymentRequiredHeaders(refusal) } }
  }
}

async function travel(operation: AnyOperation, request: CallRequest, deps: RoadDeps): Promise<CallAnswer> {
  const most = operation.limits?.bodyBytes ?? limits.bodyBytesMax
  if (request.body !== null && request.body.length > most)
    throw refuse('payload_too_large', `the body is over ${most} bytes`, 'Send a smaller body.')
  if (!operation.unlimited) await deps.limits.address(request.address, operation.limits?.addressPerMinute)
  const value = readValue(operation, request)
  const input = readInput(operation, withParams(value, request))
  const { caller, proof } = await authenticate({ operation, request, value, input }, deps)
  const { authorize } = operation
  if (authorize !== undefined) {
    const asked = deps.context({ caller, callId: '', leads: false, requestId: request.requestId, sent: request })
    await deps.attempts.guard({ address: request.address }, async () => authorize(input, asked))
  }
  if (isPlain(operation)) return answerPlainly(operation, input, caller, request, deps)
  const call = identify(operation, input, caller, proof, request)
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

function identify(
  operation: AnyOperation,
  input: unknown,
  caller: Caller,
  proof: CallIdentity['proof'],
  request: CallRequest,
): CallIdentity {
  const { idempotency } = operation
  const key =
    'key' in idempotency
      ? (idempotency.key(input) ?? headerKey(request) ?? randomUUID())
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

function unexpected(error: unknown, operation: AnyOperation, request: CallRequest, deps: RoadDeps): Refusal {
  // A priced or writing call may have settled or moved something before the dependency went away.
  const money_moved = isPlain(operation) ? 'no' : 'unknown'
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
