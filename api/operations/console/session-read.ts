import { z } from 'zod'
import { operation } from '../../operation.ts'
import { callingOperator } from '../agents/caller.ts'
import { Session } from './shapes.ts'

/** GET /api/operator/session: who is signed in, and until when. */
export const sessionRead = operation({
  id: 'session-read',
  summary: 'Read who is signed in to the operator console, and until when.',
  http: { method: 'GET', path: '/api/operator/session', host: 'base' },
  access: 'operator',
  output: z.strictObject({ session: Session }).meta({ id: 'CurrentSession' }),
  handle: async (_input, context) => {
    const session = await context.sessions.read(callingOperator(context), context.sent.headers)
    return { body: { session } }
  },
})
