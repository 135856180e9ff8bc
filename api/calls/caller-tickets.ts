import { denialOf } from '../auth/credential-standing.ts'
import { isUnknown } from '../auth/public-caller.ts'
import type { Caller } from '../context.ts'
import { isPlain } from '../operation.ts'
import type { AuthorizedCall } from './call.ts'
import type { PipelineDeps } from './deps.ts'
import { both, type User } from './quotas.ts'
import { callerTicket } from './rate-limits.ts'
import type { CallerTicket } from './tickets.ts'

type Called = Pick<AuthorizedCall, 'operation' | 'input' | 'caller' | 'request' | 'deps'>

/** A call of its caller's limit, with what it uses of the daily quotas. */
export async function callerTickets(call: Called): Promise<CallerTicket | undefined> {
  const [rate, quota] = await Promise.all([callerTicket(call), quotaTicket(call)])
  return both(rate, quota)
}

/**
 * Reads the input of a call within the limit of its caller, before anything else is worked out for it: a faulty call counts like any
 * other. A caller over its limit is refused unread, but for as many calls again that may be repeats, whose answers are stored.
 */
export async function readWithin<T>(called: Omit<Called, 'input'>, read: () => T): Promise<T> {
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
const canRepeat = ({ operation, caller }: Pick<Called, 'operation' | 'caller'>): boolean =>
  !isPlain(operation) && !isUnknown(caller)

async function quotaTicket({
  operation,
  input,
  caller,
  request,
  deps,
}: Called): Promise<CallerTicket | undefined> {
  if (operation.uses === undefined) return undefined
  const uses = { kib: Math.ceil((request.body?.length ?? 0) / 1024), ...operation.uses(input) }
  return deps.quotas.take(uses, await userOf(caller, request.address, deps))
}

async function userOf(caller: Caller, address: string, { agents }: PipelineDeps): Promise<User> {
  if (caller.kind === 'operator') return { agentId: undefined, address, trusted: true }
  const agentId = 'agentId' in caller ? caller.agentId : presentedAgent(caller)
  if (agentId === undefined || agentId === '')
    return { agentId: undefined, address, trusted: false }
  return { agentId, address, trusted: await agents.isTrusted(agentId) }
}

/**
 * The agent whose access key a public caller presents, also where the operation only examines it. A key that is revoked or expired
 * uses up nothing of its agent.
 */
function presentedAgent(caller: Caller): string | undefined {
  if (caller.kind !== 'public') return undefined
  const { credential, presented } = caller
  const known =
    presented !== undefined && 'credential' in presented ? presented.credential : credential
  return known === undefined || denialOf(known) !== undefined ? undefined : known.agent_id
}
