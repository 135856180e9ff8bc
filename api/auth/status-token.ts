import { type TokenPrefix, tokenPrefixOf } from '#domain/agents/status-token.ts'
import { refuse } from '#domain/core/errors.ts'
import { secretSha256 } from '../../activities/keys/derived-tokens.ts'
import type { CallRequest, TokenSubject } from '../context.ts'

/** Looks a status token up by its SHA-256, each kind of token in its own table. */
export type FindTokens = Partial<
  Record<TokenPrefix, (tokenSha256: string) => Promise<Omit<TokenSubject, 'prefix'> | undefined>>
>

/** The token that a call presents, in its path or else in `X-Status-Token`. */
export function presentedToken({
  params,
  headers,
}: Pick<CallRequest, 'params' | 'headers'>): string | string[] | undefined {
  return params['token'] ?? headers['x-status-token']
}

const taskIdForm = /^task-([0-9a-f]{64})$/

/** What an operator's path is about: a status token, or the id of a task, which is the digest of its token; 404 for nothing known. */
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
 * What the token tells of; throws 401 `credential_required` without one, and 404 `not_found`, the same for one that is malformed, of
 * another kind or unknown.
 */
export async function recogniseToken(
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
  if (prefix === undefined || subject === undefined)
    throw refuse('not_found', {
      detail: 'nothing has this status token',
    })
  return { prefix, ...subject, tokenSha256 }
}
