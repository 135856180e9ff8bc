import type { Context } from '../../context.ts'
import { moverOf, readingAgentId } from '../agents/caller.ts'

/** How a path of runs is read: what it offers by anyone, a run by its agent. */
export const runRead = {
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'tk'], signed: false },
  errors: ['credential_required', 'not_found'],
} as const

/** The caller that reads a run of its own; throws 401 for one that presents nothing. */
export function runReader(context: Context) {
  readingAgentId(context, 'a run is read by its agent')
  return moverOf(context)
}
