import { z } from 'zod'
import { pilotStates } from '#domain/pilots/pilot.ts'
import { decisions } from '#domain/reviews/review.ts'
import { loopExamples } from '../../examples/loops.ts'
import { Digest, freeText, IdempotencyKey, ReceiptId } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { operatorOf } from '../agents/caller.ts'
import { PilotId } from '../pilots/token.ts'
import { PilotWork } from './pilot-shapes.ts'

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
      .array(z.strictObject({ pilot_id: PilotId, evidence_root_sha256: Digest }))
      .meta({ description: 'Paid and not decided, the oldest first; with what a decision cites.' }),
  })
  .meta({ id: 'RuntimePilots' })
const begun = z
  .strictObject({
    ...PilotWork.shape,
    review_decision: z.strictObject({
      decision: z.enum(decisions),
      work_order_id: z.string(),
      receipt_id: ReceiptId,
    }),
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
    example: loopExamples['runtime-runs-read'],
    handle: async ({ state, offset, limit }, context) => ({
      body: await context.runtimeRuns.list(rail, state, pageOf({ offset, limit })),
    }),
  })

/** POST: the call of the operator is the review, recorded as every decision, and begins the work. */
export const runtimeRun = <const Rail extends RuntimeRail>(rail: Rail) =>
  operation({
    id: `${rail}-runtime-run` as const,
    summary: `Approve a paid pilot of ${rail} and begin its run, as one recorded decision.`,
    http: { method: 'POST', path: paths[rail], host: 'base' },
    access: 'operator',
    status: [202],
    errors: [
      'not_found',
      'wrong_state',
      'already_decided',
      'evidence_changed',
      'forbidden_material',
    ],
    input: z.strictObject({
      pilot_id: PilotId.meta({ description: 'One of ready_to_run.' }),
      decision_note: freeText(1000, 1).meta({ description: 'Why it may begin.' }),
      evidence_root_sha256: Digest.meta({ description: 'Of the evidence that was read.' }),
      idempotency_key: IdempotencyKey,
    }),
    output: begun,
    example: loopExamples['runtime-run'],
    handle: async ({ idempotency_key: idempotencyKey, ...asked }, context) => {
      const reviewer = { ...operatorOf(context), idempotencyKey }
      return { body: await context.runtimeRuns.begin(rail, reviewer, asked) }
    },
  })
