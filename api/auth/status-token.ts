import { type TokenPrefix, tokenPrefixOf } from '#domain/agents/status-token.ts'
import { refuse } from '#domain/core/errors.ts'
import { secretSha256 } from '../../activities/keys/derived-tokens.ts'
import type { CallRequest, TokenSubject } from '../context.ts'

/** Finds the subject of a status token by the SHA-256 of the token. */
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
