import { z } from 'zod'
import { pilotFundings, pilotStates } from '#domain/pilots/pilot.ts'
import { decisions } from '#domain/reviews/review.ts'
import { callerIn } from '../../caller.ts'
import { Digest, freeText, IdempotencyKey, ReceiptId } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { PilotId } from '../../shapes/pilots.ts'
import { RunInput } from '../../shapes/work-orders.ts'
import { PilotWork } from './controlled-pilots.ts'

const paths = {
  energyops: '/api/energyops-runtime-pilot-run',
  financeops: '/api/financeops-mvp-runtime-run',
} as const
type RuntimeRail = keyof typeof paths

const listed = z
  .strictObject({
    items: z.array(PilotWork).meta({ description: 'The newest first.' }),
    ...pageAnswer,
    ready_to_run: z
      .array(
        z.strictObject({ pilot_id: PilotId, evidence_root_sha256: Digest, is_paid: z.boolean() }),
      )
      .meta({ description: 'Not decided, the paid ones first; with what a decision cites.' }),
  })
  .meta({ id: 'RuntimePilots' })
const begun = z
  .strictObject({
    ...PilotWork.shape,
    review_decision: z
      .strictObject({
        decision: z.enum(decisions),
        work_order_id: z.string(),
        receipt_id: ReceiptId,
      })
      .nullable()
      .meta({ description: 'Null where nothing was approved: a trial, or a proposed input.' }),
  })
  .meta({ id: 'BegunPilot' })

/** GET: the pilots of one rail as operators see them. */
export const runtimeRunsRead = <const Rail extends RuntimeRail>(rail: Rail) =>
  operation({
    id: `${rail}-runtime-runs-read` as const,
    summary: `List the pilots of ${rail}, and those whose run may begin.`,
    http: { method: 'GET', path: paths[rail], host: 'base' },
    access: 'operator',
    input: z.strictObject({ state: z.enum(pilotStates).optional(), ...pageFields(6) }),
    output: listed,
    handle: async ({ state, offset, limit }, context) => ({
      body: await context.runtimeRuns.list(rail, state, pageOf({ offset, limit })),
    }),
  })

/** POST: the call of the operator is the review, recorded as every decision, and begins the work. */
export const runtimeRun = <const Rail extends RuntimeRail>(rail: Rail) =>
  operation({
    id: `${rail}-runtime-run` as const,
    summary: `Begin the run of a paid pilot of ${rail}, grant it its credit, or try the pilot out.`,
    http: { method: 'POST', path: paths[rail], host: 'base' },
    access: 'operator',
    status: [202],
    errors: [
      'not_found',
      'wrong_state',
      'payment_pending',
      'trust_required',
      'evidence_mismatch',
      'input_rejected',
      'paused',
      'already_decided',
      'evidence_changed',
      'forbidden_material',
    ],
    uses: ({ funding }) => (funding === 'synthetic' ? { tasks: 1 } : {}),
    input: z
      .strictObject({
        pilot_id: PilotId.meta({ description: 'One of ready_to_run; any open one for a trial.' }),
        funding: z.enum(pilotFundings).default('settled_payment').meta({
          description: 'Its payment, a grant of its credit, or a synthetic trial without money.',
        }),
        input: RunInput.optional().meta({
          description: 'Instead of the stored one: a trial takes it, its own run proposes it.',
        }),
        decision_note: freeText(1000, 1).meta({ description: 'Why it may begin.' }),
        evidence_root_sha256: Digest.optional().meta({
          description: 'Of the evidence that was read; a trial needs none.',
        }),
        idempotency_key: IdempotencyKey,
      })
      .refine(
        ({ funding, evidence_root_sha256 }) =>
          funding === 'synthetic' || evidence_root_sha256 !== undefined,
        { message: 'evidence_root_sha256 is required, except for a synthetic run' },
      ),
    output: begun,
    handle: async ({ idempotency_key: idempotencyKey, ...asked }, context) => {
      const reviewer = { ...callerIn(context).namedOperator, idempotencyKey }
      return { body: await context.runtimeRuns.begin(rail, reviewer, asked, context.callId) }
    },
  })
