import { z } from 'zod'
import { activationSteps, scopeOf } from '#domain/production/activation-chain.ts'
import { freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { moverOf, readingAgentId, writerOf } from '../agents/caller.ts'
import { PilotId, PilotToken } from '../pilots/token.ts'
import { customerStart, productionErrors, startedRun } from '../production/production-shapes.ts'
import { RunId } from '../runs/shapes.ts'
import { FUNDED_TWICE, fundedOnce, paidStart } from '../runs/start-fields.ts'
import {
  activatedPilot,
  type OfferRail,
  PilotContract,
  PilotWork,
  pilotPath,
  toolScope,
} from './pilot-shapes.ts'

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
        writerOf(context),
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
        readingAgentId(context, 'a pilot is read by its agent')
      return { body: await context.controlledPilots.read(rail, moverOf(context), run_id) }
    },
  })
