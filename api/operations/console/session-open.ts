import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { operation } from '../../operation.ts'
import { callingOperator } from '../agents/caller.ts'
import { Session } from './shapes.ts'

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
    const { session, cookies } = await context.sessions.open(callingOperator(context))
    return { body: { session }, headers: { 'Set-Cookie': cookies } }
  },
})
