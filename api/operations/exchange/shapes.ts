import { z } from 'zod'
import { WORK_ARTIFACT } from '#domain/work-orders/delivery.ts'
import { Digest, freeText, ReceiptId, Time } from '../../fields.ts'
import { AgentId, Rail } from '../agents/shapes.ts'
import { ItemName } from '../commerce/shapes.ts'
import { RunId } from '../runs/shapes.ts'
import { Tier } from '../tasks/shapes.ts'
import { WorkOrder, WorkOrderId } from '../work-orders/shapes.ts'

export const EXCHANGE_PATH = '/api/work-order-exchange'
export const ClaimId = z.string().regex(/^xc_[0-9a-f]{64}$/)

/** What an agent accepts with a claim, and again with its delivery. */
export const acceptTerms = z.literal(true).meta({
  description:
    'Accepts the terms of the contract of the order for its work, and declares that what it delivers is its own to give.',
})

/** An order that may be claimed. */
export const OpenOrder = z
  .strictObject({
    work_order_id: WorkOrderId,
    rail: Rail,
    tier: Tier,
    objective_summary: z.string(),
    acceptance_criteria: z.array(z.string()),
    deadline: Time.meta({ description: 'Then the service does the work itself.' }),
    reward_note: z.string(),
  })
  .meta({ id: 'OpenWorkOrder' })

/** An order as an agent sees it that claims it: without the name and the contact of its requester. */
export const ClaimedOrder = z
  .strictObject({
    ...WorkOrder.pick({ work_order_id: true, state: true, objective: true }).shape,
    acceptance_criteria: z.array(z.string()),
    deadline: Time,
    reward_note: z.string(),
  })
  .meta({ id: 'ClaimedWorkOrder' })

export const Claim = z
  .strictObject({
    claim_id: ClaimId,
    work_order_id: WorkOrderId,
    agent_id: AgentId,
    state: z.enum(['held', 'delivered', 'accepted', 'rejected', 'released', 'expired']),
    claimed_at: Time,
    expires_at: Time,
    delivered_at: Time.nullable(),
    ended_at: Time.nullable(),
    reason: z.string().nullable(),
    terms_sha256: Digest.nullable().meta({
      description: 'Of the terms of the contract that the claim accepted.',
    }),
    receipt_id: ReceiptId.nullable().meta({ description: 'Of the delivery.' }),
  })
  .meta({ id: 'WorkOrderClaim' })

/** Names the input of a claimed order. */
export const InputReference = z
  .strictObject({
    run_id: RunId,
    rail: Rail,
    tier: Tier,
    input_sha256: Digest.meta({ description: 'Of the RFC 8785 form of the input.' }),
    url: z.url().meta({ description: 'Reads the claim with its input while it is held.' }),
  })
  .meta({ id: 'WorkOrderInputReference' })

/** The package that is delivered; its parts are those of an inline package of a commerce proof, with their content. */
export const DeliveredPackage = z
  .strictObject({
    artifacts: z
      .array(
        z.strictObject({
          name: ItemName,
          sha256: Digest,
          bytes: z.int().min(0).max(1_000_000).optional(),
          content: freeText(500_000, 1),
        }),
      )
      .min(1)
      .max(20)
      .meta({ description: `${WORK_ARTIFACT} is the work of the rail: result, findings, gaps.` }),
    claims: z
      .array(z.strictObject({ claim: freeText(500, 1), artifact: ItemName }))
      .max(50)
      .default([]),
  })
  .refine(
    ({ artifacts }) => new Set(artifacts.map((one) => one.name)).size === artifacts.length,
    'must not hold two artifacts of one name',
  )
  .refine(
    ({ artifacts }) => artifacts.some((one) => one.name === WORK_ARTIFACT),
    `must hold ${WORK_ARTIFACT}`,
  )
  .meta({ id: 'DeliveredPackage' })
