import { type TokenPrefix, tokenPrefixOf } from '#domain/agents/status-token.ts'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { secretSha256 } from '../../activities/keys/derived-tokens.ts'
import { findAgentByToken } from '../../activities/store/agents/agents.ts'
import { findPilot } from '../../activities/store/pilots/pilots.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { isPublicSandbox } from '../../activities/store/tasks/public-sandbox.ts'
import { findTask } from '../../activities/store/tasks/tasks.ts'
import { findWorkOrder } from '../../activities/store/work-orders/work-orders.ts'
import type { Caller, CallRequest, TokenSubject } from '../context.ts'
import { assertSigned, type SignatureNeeds, type SpokeFor } from './agent-signature.ts'
import type { Method, ReadCall } from './method.ts'

/** Finds the subject of a status token by the SHA-256 of the token. */
export type FindTokens = Partial<
  Record<TokenPrefix, (tokenSha256: string) => Promise<Omit<TokenSubject, 'prefix'> | undefined>>
>

/** What the status token of a call is checked with. */
type TokenNeeds = SignatureNeeds & {
  readonly agents: { readonly findTokens: FindTokens; readonly spokeFor: SpokeFor }
}
type Token = TokenSubject & { readonly tokenSha256: string }

/** By the status token of a record; an operation may ask for a signature of the record's agent too. */
export const byStatusToken: Method<TokenNeeds> = async ({ operations, request }, deps) => {
  const prefixes = operations.flatMap(({ statusToken }) => statusToken?.prefixes ?? [])
  const token = await deps.attempts.guard({ address: request.address }, () =>
    recogniseToken(presentedToken(request), prefixes, deps.agents.findTokens),
  )
  return {
    way: 'status',
    isAnyone: token.keyless === true,
    callerOf: (call) => tokenCaller(call, token, deps),
  }
}

async function tokenCaller(call: ReadCall, token: Token, deps: TokenNeeds): Promise<Caller> {
  const { statusToken, id } = call.operation
  if (statusToken === undefined)
    throw new Error(`the operation ${id} does not say which status tokens it takes`)
  const { agentId, tokenSha256 } = token
  const known = agentId === '' ? token.subjectId : `agent:${agentId}`
  const caller = { kind: 'status', id: known, ...token } as const
  return deps.attempts.guard({ address: call.request.address }, async () => {
    if (!statusToken.prefixes.includes(token.prefix)) throw unknownToken()
    if (statusToken.signed && token.keyless !== true)
      await assertSigned(call, { agentId, tokenSha256, spokeFor: deps.agents.spokeFor }, deps)
    return caller
  })
}

/** The token that a call presents, in its path or else in `X-Status-Token`. */
export function presentedToken({
  params,
  headers,
}: Pick<CallRequest, 'params' | 'headers'>): string | string[] | undefined {
  return params['token'] ?? headers['x-status-token']
}

const taskIdForm = /^task-([0-9a-f]{64})$/

/** The subject in the path of an operator's call: a status token, or a task id (the digest of its token); 404 for an unknown one. */
export async function recogniseSubject(
  presented: string,
  prefixes: readonly TokenPrefix[],
  find: FindTokens,
): Promise<TokenSubject> {
  const [, tokenSha256] = taskIdForm.exec(presented) ?? []
  const named =
    tokenSha256 !== undefined && prefixes.includes('tk') ? await find.tk?.(tokenSha256) : undefined
  return named === undefined
    ? recogniseToken(presented, prefixes, find)
    : { prefix: 'tk', ...named }
}

/**
 * The subject of a status token; throws 401 `credential_required` without a token, and 404 `not_found` for a token that is
 * malformed, of another kind or unknown.
 */
async function recogniseToken(
  presented: string | string[] | undefined,
  prefixes: readonly TokenPrefix[],
  find: FindTokens,
): Promise<TokenSubject & { tokenSha256: string }> {
  if (presented === undefined || presented === '')
    throw refuse('credential_required', {
      detail: 'the header X-Status-Token is missing',
    })
  const prefix = typeof presented === 'string' ? tokenPrefixOf(presented) : undefined
  const tokenSha256 = secretSha256(String(presented))
  const subject =
    prefix !== undefined && prefixes.includes(prefix)
      ? await find[prefix]?.(tokenSha256)
      : undefined
  if (prefix === undefined || subject === undefined) throw unknownToken()
  return { prefix, ...subject, tokenSha256 }
}

const unknownToken = (): DomainError =>
  refuse('not_found', {
    detail: 'nothing has this status token',
  })

/** Finds the record of a status token: an agent, a work order, a pilot or a task. */
export function findTokenSubjects(db: Tx): FindTokens {
  return {
    st: async (tokenSha256) => {
      const agent = await findAgentByToken(db, tokenSha256)
      return agent && { subjectId: agent.agent_id, agentId: agent.agent_id }
    },
    wt: async (tokenSha256) => {
      const order = await findWorkOrder(db, { status_token_sha256: tokenSha256 })
      return (
        order && {
          subjectId: order.work_order_id,
          agentId: order.agent_id ?? '',
          keyless: order.agent_id === null,
        }
      )
    },
    pt: async (tokenSha256) => {
      const pilot = await findPilot(db, { status_token_sha256: tokenSha256 })
      return pilot && { subjectId: pilot.pilot_id, agentId: '', keyless: true }
    },
    tk: async (tokenSha256) => {
      const task = await findTask(db, `task-${tokenSha256}`)
      return (
        task && {
          subjectId: task.task_id,
          agentId: task.agent_id ?? '',
          keyless: isPublicSandbox(task),
        }
      )
    },
  }
}
