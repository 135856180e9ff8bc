import type { Scope } from '#domain/agents/credential.ts'
import { accessWithin } from '#domain/agents/trust-limits.ts'
import { refuse } from '#domain/core/errors.ts'
import type { Context } from '../../context.ts'
import { readingAgentId } from './caller.ts'

/** As `readingAgentId`, where the access key needs a scope; throws 403 `scope_denied` without it. */
export function scopedAgentId(context: Context, scope: Scope, detail: string): string {
  const agentId = readingAgentId(context, detail)
  const { caller } = context
  const held = caller.kind === 'public' ? caller.credential : undefined
  if (held !== undefined && accessWithin(held.limits, held).scopes.includes(scope)) return agentId
  throw refuse('scope_denied', { detail: `the credential has no scope ${scope}` })
}
