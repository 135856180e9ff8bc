import { refuse } from '#domain/core/errors.ts'
import type { Context } from '../../context.ts'

/** The pilot that an operator names, or that of the token; throws 404 where a token names another. */
export function pilotOf({ caller }: Context, pilotId: string | undefined): string {
  const own = caller.kind === 'status' ? caller.subjectId : pilotId
  if (own === undefined || (pilotId !== undefined && pilotId !== own))
    throw refuse('not_found', {
      detail: 'no such pilot',
      next_action: 'Name the pilot with pilot_id, or send the token of that pilot.',
    })
  return own
}
