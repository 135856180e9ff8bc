import { z } from 'zod'
import { scopes } from '#domain/agents/credential.ts'
import { pilotFundings } from '#domain/pilots/pilot.ts'
import { activationSteps } from '#domain/production/activation-chain.ts'
import { Rail } from '../agents/shapes.ts'
import { contractSchema } from '../discovery/contract-shape.ts'
import { Pilot, RunOfPilot } from '../pilots/shapes.ts'
import { AuditEventId } from '../production/gate-shapes.ts'
import { Run } from '../runs/shapes.ts'

export type OfferRail = 'tokenops' | 'financeops' | 'energyops'
export const pilotPath = (rail: OfferRail) => `/api/${rail}-controlled-pilot-execution`

const ActivationId = z.string().regex(/^av_[0-9a-f]{64}$/)
const tools = ['tokenops', 'financeops', 'energyops', ...scopes] as const
/** What the agent lets the pilot have: its rail, and scopes of the access key. */
export const toolScope = z.array(z.enum(tools)).min(1).max(16).meta({
  description: 'The rail of the pilot, and scopes of the access key; the key has to grant each.',
})

const chain = z.array(
  z.strictObject({
    step: z.enum(activationSteps),
    ok: z.boolean(),
    detail: z.string(),
    evidence_id: z.string().nullable().meta({ description: 'The record that shows it.' }),
  }),
)
/** A pilot with the chain that activated it and its run. */
export const activatedPilot = {
  activation_id: ActivationId.nullable(),
  chain,
  tool_scope: z.array(z.string()),
  granted: z
    .strictObject({
      credential_id: z.string(),
      rails: z.array(Rail),
      scopes: z.array(z.enum(scopes)),
    })
    .nullable()
    .meta({ description: 'What the access key granted of the scope.' }),
  pilot: Pilot,
  run: Run,
  audit_event_id: AuditEventId,
}

/** A pilot as it is read: only a controlled one has a chain, and its run may not have begun. */
export const PilotWork = z
  .strictObject({
    ...activatedPilot,
    run: RunOfPilot.nullable(),
    audit_event_id: AuditEventId.nullable(),
    funding: z.enum(pilotFundings).nullable().meta({
      description: 'What pays for its run: money or a grant; null until something does.',
    }),
    synthetic_runs: z.array(z.string()).meta({
      description:
        'Runs that try it out, the newest first: without money, and none of them its run.',
    }),
  })
  .meta({ id: 'PilotWork' })

export const PilotContract = contractSchema(
  'The last 1,000 chains of the rail: activated and refused.',
  {
    rail: Rail,
    chain: z.array(z.enum(activationSteps)),
    tool_scope: z.array(z.string()).meta({ description: 'What a scope may name.' }),
  },
).meta({ id: 'ControlledPilotContract' })
