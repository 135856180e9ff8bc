import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { clientEntryKinds, entryKinds } from '#domain/pilots/pilot.ts'
import type { Context } from '../../context.ts'
import { freeText, IdempotencyKey, Time } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { pilotOf } from './caller.ts'
import { Pilot, PilotEntry } from './shapes.ts'
import { PilotId } from './token.ts'

const input = z.strictObject({
  pilot_id: PilotId.optional().meta({
    description: 'For operators; a token names its own pilot.',
  }),
  kind: z.enum(entryKinds).meta({
    description: `Clients may say ${clientEntryKinds.join(', ')}; the others are the operator’s.`,
  }),
  text: freeText(4000, 1),
  due_at: Time.optional().meta({ description: 'When it is due, as an operator sets it.' }),
  idempotency_key: IdempotencyKey,
})

/** POST /api/pilot-conversation-tracker: the holder of a pilot's token and operators add entries, each chained to the one before. */
export const pilotConversationAdd = operation({
  id: 'pilot-conversation-add',
  summary: 'Add to what is said about a pilot; decisions and next steps are the operator’s.',
  http: { method: 'POST', path: '/api/pilot-conversation-tracker', host: 'base' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['pt'], signed: true },
  status: [201],
  errors: ['not_found', 'wrong_state', 'scope_denied', 'forbidden_material'],
  input,
  output: z.strictObject({ entry: PilotEntry, pilot: Pilot }).meta({ id: 'AddedPilotEntry' }),
  authorize: async (asked, context) => assertMaySay(asked, context),
  handle: async ({ pilot_id, kind, text, due_at = null }, context) => {
    const { caller, pilotConversations, callId } = context
    const author_role = caller.kind === 'operator' ? 'operator' : 'client'
    const author = { author_role, author: caller.id } as const
    await pilotConversations.add(pilotOf(context, pilot_id), author, { kind, text, due_at }, callId)
    return answeredByService
  },
})

/** Only an operator decides, says what is next, and sets a date. */
function assertMaySay({ kind, due_at }: z.output<typeof input>, { caller }: Context): void {
  if (caller.kind === 'operator') return
  if (due_at === undefined && clientEntryKinds.some((one) => one === kind)) return
  throw refuse('scope_denied', {
    detail: 'decisions, next steps and dates are set by an operator',
    next_action: `Say ${clientEntryKinds.join(', ')}, without due_at.`,
  })
}
