import { z } from 'zod'
import { text } from '../../fields.ts'
import { operation } from '../../operation.ts'

/** POST /api/operator/session/end: signs out; any operator may end the sessions of another. */
export const sessionEnd = operation({
  id: 'session-end',
  summary: 'Sign out of the operator console, or end all sessions of an operator.',
  http: { method: 'POST', path: '/api/operator/session/end', host: 'base' },
  access: 'operator',
  idempotency: { kind: 'effect' },
  input: z.strictObject({
    operator_id: text(1, 64).optional().meta({
      description: 'All sessions of this operator; the session of the call unless given.',
    }),
  }),
  output: z.strictObject({ ended: z.literal(true) }).meta({ id: 'EndedSession' }),
  handle: async ({ operator_id: operatorId }, context) => {
    const body = { ended: true as const }
    if (operatorId === undefined) {
      const cookies = await context.sessions.end(context.sent.headers)
      return { body, headers: { 'Set-Cookie': cookies } }
    }
    await context.sessions.endAllOf(operatorId)
    return { body }
  },
})
