import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { callerIn } from '../../caller.ts'
import { text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Session } from '../../shapes/console.ts'

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

/** POST /api/operator/session: signs an operator in to the console; the answer sets the cookies of the session. */
export const sessionOpen = operation({
  id: 'session-open',
  summary: 'Sign in to the operator console with the credential of an operator.',
  http: { method: 'POST', path: '/api/operator/session', host: 'base' },
  access: 'operator',
  idempotency: { kind: 'effect' },
  output: z.strictObject({ session: Session }).meta({ id: 'OpenedSession' }),
  handle: async (_input, context) => {
    // A session does not prolong itself, so that its end is an end; an empty header presents no credential.
    if ((context.sent.headers['authorization'] ?? '') === '')
      throw refuse('operator_required', {
        detail: 'a session is opened with the credential of an operator, not with a session',
      })
    const { session, cookies } = await context.sessions.open(callerIn(context).operator)
    return { body: { session }, headers: { 'Set-Cookie': cookies } }
  },
})

/** GET /api/operator/session: who is signed in, and until when. */
export const sessionRead = operation({
  id: 'session-read',
  summary: 'Read who is signed in to the operator console, and until when.',
  http: { method: 'GET', path: '/api/operator/session', host: 'base' },
  access: 'operator',
  output: z.strictObject({ session: Session }).meta({ id: 'CurrentSession' }),
  handle: async (_input, context) => {
    const session = await context.sessions.read(callerIn(context).operator, context.sent.headers)
    return { body: { session } }
  },
})
