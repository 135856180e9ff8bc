import { z } from 'zod'
import { DATA_DECLARATION } from '#domain/tasks/data-declaration.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { AccountId } from '../commercial/control-shapes.ts'
import { Receipt } from '../operators/receipt.ts'
import { Tier } from '../payments/shapes.ts'
import { WorkOrder } from '../work-orders/shapes.ts'
import { Pilot, PilotClientInput } from './shapes.ts'
import { PilotToken } from './token.ts'

const output = z
  .strictObject({
    pilot: Pilot,
    work_order: WorkOrder.meta({ description: 'Without a run; it is decided with the pilot.' }),
    receipt: Receipt,
    status_token: PilotToken.meta({
      description: 'Reads the pilot and takes part in its conversation; given here alone.',
    }),
  })
  .meta({ id: 'RequestedPilot' })

/** POST /api/pilot-intake: any caller may ask for a pilot, which waits for the decision of an operator. Nothing runs. */
export const pilotIntakeSubmit = operation({
  id: 'pilot-intake-submit',
  summary: 'Ask for a pilot of a rail; an operator decides about it, and nothing runs before.',
  http: { method: 'POST', path: '/api/pilot-intake', host: 'base' },
  access: 'public',
  status: [202],
  errors: [
    ...(['rail_not_allowed', 'not_found', 'wrong_state', 'forbidden_material'] as const),
    ...(['credential_required', 'not_owner'] as const),
  ],
  // The intake of an invitation has its pilot already.
  uses: ({ invitation_token }) => ({ tasks: 1, pilots: invitation_token === undefined ? 1 : 0 }),
  input: z.strictObject({
    client: PilotClientInput.extend({
      account_id: AccountId.optional().meta({
        description: 'Of the agent whose access key is presented: the pilot is then that agent’s.',
      }),
    }),
    rail: Rail,
    tier: Tier.default('standard'),
    objective: freeText(2000, 1),
    workflow_description: freeText(4000, 1).optional(),
    desired_start: z.iso.date().optional().meta({ description: 'Today or later, in UTC.' }),
    invitation_token: PilotToken.optional().meta({
      description: 'Of an accepted invitation, whose pilot takes the intake.',
    }),
    data_declaration: z.literal(DATA_DECLARATION).meta({
      description:
        'The sender declares that the intake holds no regulated records and no confidential production client data. Nothing here detects them.',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output,
  handle: async ({ idempotency_key: _key, ...asked }, context) => {
    const { workflow_description = null, desired_start = null, invitation_token = null } = asked
    const by = { agentId: agentIdOf(context), callId: context.callId }
    const intake = { ...asked, workflow_description, desired_start, invitation_token }
    return { body: await context.pilots.submit(intake, by) }
  },
})
