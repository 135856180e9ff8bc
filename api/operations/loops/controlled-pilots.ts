import { z } from 'zod'
import { scopes } from '#domain/agents/credential.ts'
import { pilotFundings } from '#domain/pilots/pilot.ts'
import { activationSteps, scopeOf } from '#domain/production/activation-chain.ts'
import { callerIn } from '../../caller.ts'
import { freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { paidStart } from '../../paid-start.ts'
import { Rail } from '../../shapes/agents.ts'
import { contractSchema } from '../../shapes/contract.ts'
import { Pilot, PilotId, PilotToken, RunOfPilot } from '../../shapes/pilots.ts'
import {
  AuditEventId,
  customerStart,
  productionErrors,
  startedRun,
} from '../../shapes/production.ts'
import { FUNDED_TWICE, fundedOnce, Run, RunId } from '../../shapes/runs.ts'

type OfferRail = 'tokenops' | 'financeops' | 'energyops'
const pilotPath = (rail: OfferRail) => `/api/${rail}-controlled-pilot-execution`

const ActivationId = z.string().regex(/^av_[0-9a-f]{64}$/)
const tools = ['tokenops', 'financeops', 'energyops', ...scopes] as const
/** What the agent lets the pilot have: its rail, and scopes of the access key. */
const toolScope = z.array(z.enum(tools)).min(1).max(16).meta({
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
const activatedPilot = {
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

const PilotContract = contractSchema('The last 1,000 chains of the rail: activated and refused.', {
  rail: Rail,
  chain: z.array(z.enum(activationSteps)),
  tool_scope: z.array(z.string()).meta({ description: 'What a scope may name.' }),
}).meta({ id: 'ControlledPilotContract' })

const { rail: _rail, customer_account, ...fields } = customerStart
const input = z
  .strictObject({
    request: z
      .strictObject({
        objective: freeText(2000, 1),
        customer_account: customer_account.optional(),
        pilot_id: PilotId.optional().meta({
          description: 'An activated pilot of yours of this rail and tier; else a new one.',
        }),
      })
      .meta({ description: 'What the pilot is for, and for whom; the agent itself unless given.' }),
    tool_scope: toolScope,
    ...fields,
  })
  .refine(fundedOnce, { message: FUNDED_TWICE })
const Activated = z
  .strictObject({
    ...activatedPilot,
    ...startedRun,
    status_token: PilotToken.nullable().meta({
      description: 'Takes part in the conversation of a new pilot; null where it had one before.',
    }),
  })
  .meta({ id: 'ActivatedPilot' })

const idOf = <Rail extends OfferRail>(rail: Rail) => `${rail}-controlled-pilot-run` as const

/** POST of the controlled pilot of one rail: the seven steps of the chain in their order. */
export const controlledPilotRun = <const Rail extends OfferRail>(rail: Rail) =>
  operation({
    id: idOf(rail),
    summary: `Activate a controlled pilot of ${rail} by a chain of seven steps; it waits for its payment and for an operator.`,
    http: { method: 'POST', path: pilotPath(rail), host: 'base' },
    needs: { scopes: ['runs:write'], rail: () => rail },
    judgesKey: true,
    gate: { rails: [rail], callback: 'required' },
    carriesPayment: true,
    ...paidStart,
    undelegated: ['status_token'],
    errors: productionErrors,
    input,
    output: Activated,
    handle: async (
      { accept_terms: _terms, idempotency_key: _key, usage: _usage, ...given },
      context,
    ) => {
      const denied = context.caller.kind === 'agent' ? context.caller.denied : undefined
      const { headers, started } = await context.controlledPilots.run(
        { id: idOf(rail), path: pilotPath(rail), rail },
        callerIn(context).writer,
        { ...given, carried_payment: context.carriedPayment(), denied },
        context.callId,
      )
      const isNew = given.request.pilot_id === undefined
      const status_token = isNew ? await context.controlledPilots.tokenOf(context.callId) : null
      return { body: { ...started, status_token }, headers }
    },
  })

/** GET of the same path: the chain and its live counts; with a run id the caller's own pilot. */
export const controlledPilotRead = <const Rail extends OfferRail>(rail: Rail) =>
  operation({
    id: `${rail}-controlled-pilot-read` as const,
    summary: `Read how a controlled pilot of ${rail} is activated, or a pilot of your own with the result of each step.`,
    http: { method: 'GET', path: pilotPath(rail), host: 'base' },
    access: ['agent', 'status', 'operator', 'public'],
    needs: { scopes: ['runs:read'] },
    statusToken: { prefixes: ['st', 'tk'], signed: false },
    errors: ['credential_required', 'not_found'],
    input: z.strictObject({ run_id: RunId.optional() }),
    output: z.union([PilotWork, PilotContract]),
    handle: async ({ run_id }, context) => {
      if (run_id === undefined)
        return {
          body: {
            ...(await context.contracts.controlledPilot(rail, pilotPath(rail))),
            rail,
            chain: [...activationSteps],
            tool_scope: scopeOf(rail),
          },
        }
      if (context.caller.kind !== 'operator')
        callerIn(context).agentIdFor('a pilot is read by its agent')
      return {
        body: await context.controlledPilots.read(rail, callerIn(context).taskActor, run_id),
      }
    },
  })
