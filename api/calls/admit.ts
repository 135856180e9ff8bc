import { DomainError } from '#domain/core/errors.ts'
import { screenFreeText } from '../../activities/screening/free-text.ts'
import { isUnknown } from '../auth/public-caller.ts'
import { assertRails } from '../auth/rails.ts'
import { goodKeyOf } from '../caller.ts'
import type { Caller } from '../context.ts'
import { isPlain } from '../operation.ts'
import type { AdmittedCall, AuthenticatedCall } from './call.ts'
import type { PipelineDeps } from './deps.ts'
import { contextWith } from './handle.ts'
import { readInput, withParams } from './input.ts'
import { both, type CallerTicket, type User } from './limits.ts'

/** Admits a call with an input that fits and holds no secret, of a caller that may make it: schema → screening → rails → authorize. */
export async function admit(authenticated: AuthenticatedCall): Promise<AdmittedCall> {
  const { operation, request, deps, value } = authenticated
  const input = await readWithin(authenticated, () => {
    const read = readInput(operation, withParams(value, request))
    screenFreeText(operation.input, read)
    return read
  })
  const caller = await withinRails({ ...authenticated, input })
  const call = { ...authenticated, input, caller }
  const { authorize } = operation
  if (authorize !== undefined)
    await deps.attempts.guard({ address: request.address }, async () =>
      authorize(input, contextWith(call, '', false)),
    )
  return call
}

/**
 * The caller of this input, whose credential covers its rails. Where the operation judges that by itself, the caller says what its key
 * lacks, under an id of its own: it neither repeats nor continues a call of another key.
 */
async function withinRails({ operation, input, caller, deps }: AdmittedCall): Promise<Caller> {
  try {
    await assertRails({ operation, input }, caller, deps)
    return caller
  } catch (error) {
    const isJudged = operation.judgesKey === true && caller.kind === 'agent'
    if (!isJudged || !(error instanceof DomainError)) throw error
    return { ...caller, id: `key:${caller.credential.credential_id}`, denied: error.refusal }
  }
}

/** A call of its caller's limit, with what it uses of the daily quotas. */
export async function callerTickets(call: AdmittedCall): Promise<CallerTicket | undefined> {
  const [rate, quota] = await Promise.all([callerTicket(call), quotaTicket(call)])
  return both(rate, quota)
}

/**
 * Reads the input of a call within the limit of its caller, before anything else is worked out for it: a faulty call counts like any
 * other. A caller over its limit is refused unread, but for as many calls again that may be repeats, whose answers are stored.
 */
async function readWithin<T>(called: AuthenticatedCall, read: () => T): Promise<T> {
  const ticket = await callerTicket(called)
  if (ticket?.granted === false && !(canRepeat(called) && (await ticket.mayRepeat?.())))
    ticket.assertGranted()
  try {
    return read()
  } catch (error) {
    ticket?.assertGranted()
    throw error
  } finally {
    ticket?.putBack()
  }
}

/** Whether the call may have been made before; each call of an unknown caller is another one's. */
const canRepeat = ({ operation, caller }: AuthenticatedCall): boolean =>
  !isPlain(operation) && !isUnknown(caller)

async function quotaTicket({
  operation,
  input,
  caller,
  request,
  deps,
}: AdmittedCall): Promise<CallerTicket | undefined> {
  if (operation.uses === undefined) return undefined
  const uses = { kib: Math.ceil((request.body?.length ?? 0) / 1024), ...operation.uses(input) }
  return deps.quotas.take(uses, await userOf(caller, request.address, deps))
}

async function userOf(caller: Caller, address: string, { agents }: PipelineDeps): Promise<User> {
  if (caller.kind === 'operator') return { agentId: undefined, address, trusted: true }
  const agentId = 'agentId' in caller ? caller.agentId : goodKeyOf(caller)?.agent_id
  if (agentId === undefined || agentId === '')
    return { agentId: undefined, address, trusted: false }
  return { agentId, address, trusted: await agents.isTrusted(agentId) }
}

/**
 * A ticket of the caller's own limit: of a wallet (and of its address, where it never paid), of an agent's credential, of a status token, or of a public caller's address, which
 * has fewer writes than reads. The holder of a token of anonymous work is limited as a public caller, by the address and by the token.
 * Undefined for all others.
 */
async function callerTicket({
  operation: { idempotency, http },
  caller,
  request,
  deps: { limits },
}: AuthenticatedCall): Promise<CallerTicket | undefined> {
  if (caller.kind === 'wallet') {
    const own = await limits.wallet(caller.id)
    return caller.isNew ? both(own, await limits.newWallets(request.address)) : own
  }
  const credential = goodKeyOf(caller)
  if (credential !== undefined) return limits.agent(credential.credential_id)
  const document = http.cacheable ? 'documents' : 'reads'
  const used = idempotency.kind === 'read' ? document : 'writes'
  if (caller.kind === 'status') {
    if (caller.keyless !== true) return limits.agent(caller.tokenSha256)
    const of = (key: string) => limits.publicCaller(key, used)
    return both(...(await Promise.all([of(request.address), of(caller.tokenSha256)])))
  }
  if (caller.kind !== 'public' || http.unlimited) return undefined
  return limits.publicCaller(caller.address, used)
}
