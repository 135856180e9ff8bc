import { z } from 'zod'
import { trustStates } from '#domain/agents/trust.ts'
import { Time } from '../../fields.ts'
import { AgentId } from '../agents/shapes.ts'
import { BadgeState } from '../listings/shapes.ts'
import { Receipt } from '../operators/receipt.ts'

const count = z.int().min(0)
const shown = count.nullable().meta({ description: 'Null unless the agent publishes a profile.' })

export const AgentPassport = z
  .strictObject({
    ...Receipt.shape,
    claims: z.strictObject({
      agent_id: AgentId,
      trust_state: z.enum(trustStates),
      badge_state: BadgeState,
      credential_bound: z.boolean().meta({ description: 'It has an access key that is good.' }),
      completed_runs: shown,
      verified_receipts: shown,
      open_exceptions: shown,
      reliability: z
        .strictObject({
          published: count,
          synthetic: count,
          eligible_to_continue: count,
          human_review_required: count,
          payment_hold: count,
        })
        .nullable()
        .meta({ description: 'Of the proofs that it publishes; null without any.' }),
      as_of: Time,
    }),
    verify_url: z.string(),
  })
  .meta({ id: 'AgentPassport' })
