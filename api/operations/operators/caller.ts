import type { Context } from '../../context.ts'
import { callingOperator } from '../agents/caller.ts'

/** The operator behind a call, as records name it. */
export function operatorOf(context: Context) {
  const { operatorId, name } = callingOperator(context)
  return { operatorId, name }
}

/** The call of an operator, as what it writes names both. */
export const operatorCall = (context: Context) => ({
  operator: callingOperator(context).id,
  callId: context.callId,
})
