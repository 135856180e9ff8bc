import { z } from 'zod'
import { pilotStates } from '#domain/pilots/pilot.ts'
import { purposes } from '#domain/prospects/outreach.ts'
import { Digest, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { Rail } from '../agents/shapes.ts'
import { Tier } from '../payments/shapes.ts'
import { PilotId } from '../pilots/token.ts'
import { ProspectId, ProspectState } from './shapes.ts'

const output = z
  .strictObject({
    pack: z.strictObject({
      rail: Rail,
      messages: z.array(
        z.strictObject({
          purpose: z.enum(purposes),
          text: z.string(),
          message_sha256: Digest.meta({ description: 'As record_message_sent takes it.' }),
        }),
      ),
      sample_package_url: z.string(),
      price_card: z.array(z.strictObject({ tier: Tier, total_usd: z.int().min(0) })),
      invitation_links: z
        .array(
          z.strictObject({
            pilot_id: PilotId,
            rail: Rail,
            tier: Tier,
            state: z.enum(pilotStates),
            response_url: z.string(),
            expires_at: Time,
          }),
        )
        .meta({
          description:
            'The open invitations of the prospect; the token of each was shown once, as it was made.',
        }),
      checkout_url: z.string().nullable().meta({ description: 'Of a live offer.' }),
    }),
    prospects: z.array(
      z.strictObject({
        prospect_id: ProspectId,
        label: z.string(),
        rail: Rail.nullable(),
        state: ProspectState,
      }),
    ),
    offset: z.int(),
    limit: z.int(),
  })
  .meta({ id: 'OutreachPack' })

/** GET /api/first-pilot-outreach-pack: made from rails, prices and records at each call; it keeps and sends nothing. */
export const outreachPack = operation({
  id: 'outreach-pack',
  summary:
    'Read what to write next to a prospect, or the messages of a rail with its prices and sample, and who is open.',
  http: { method: 'GET', path: '/api/first-pilot-outreach-pack', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({
    rail: Rail.optional().meta({ description: 'That of the prospect unless given.' }),
    prospect_id: ProspectId.optional(),
    ...pageFields(6),
  }),
  output,
  handle: async ({ rail, prospect_id: prospectId, ...page }, { outreach }) => ({
    body: await outreach.pack({ rail, prospectId }, pageOf(page)),
  }),
})
