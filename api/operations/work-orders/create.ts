import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { SERVICE_OS } from '#domain/work-orders/work-order.ts'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { postsOf } from '../callbacks/request-count.ts'
import { Receipt } from '../operators/receipt.ts'
import { VerificationPacket } from '../receipts/verify-receipt.ts'
import { Run } from '../runs/shapes.ts'
import { inputErrors } from '../tasks/input-shapes.ts'
import { LedgerEntry } from '../tasks/shapes.ts'
import { WorkOrder, WorkOrderInput } from './shapes.ts'

/** POST /api/work-orders: any caller may send an order, which waits for the review of an operator. */
export const workOrderCreate = operation({
  id: 'work-order-create',
  summary: 'Send a work order; it is queued with its runs and waits for a review.',
  http: { method: 'POST', path: '/api/work-orders', host: 'base' },
  access: ['agent', 'public'],
  needs: {
    scopes: ['runs:write'],
    rail: ({ requested_tool_id: tool, steps }) =>
      tool === SERVICE_OS ? steps?.map(({ rail }) => rail) : tool,
  },
  limits: { bodyBytes: 1_048_576 },
  status: [202],
  errors: [
    ...inputErrors,
    ...([
      'rail_not_allowed',
      'callback_refused',
      'not_owner',
      'not_found',
      'quote_mismatch',
      'amount_mismatch',
      'quote_expired',
      'paused',
    ] as const),
    'credential_required',
  ],
  uses: ({ steps, callback_url }) => {
    const tasks = steps?.length ?? 1
    return { tasks, workflows: 2 * tasks, posts: tasks * postsOf(callback_url) }
  },
  input: WorkOrderInput,
  output: z
    .strictObject({
      work_order: WorkOrder,
      rail_run: Run.meta({ description: 'The first of rail_runs.' }),
      rail_runs: z
        .array(Run)
        .meta({ description: 'One for each step; nothing is executed before the review.' }),
      receipt: Receipt,
      verification_packet: VerificationPacket,
      trust_ledger_record: LedgerEntry.meta({
        description: 'The first entry of the first task’s ledger.',
      }),
      status_token: z
        .string()
        .regex(/^wt_[A-Za-z0-9_-]{43}$/)
        .meta({
          description:
            'Reads the order, asks for the quotes of its runs and presents their payments; given here alone.',
        }),
    })
    .meta({ id: 'QueuedWorkOrder' }),
  handle: async (
    {
      idempotency_key: _key,
      input = {},
      steps,
      quote_id = null,
      quote_token,
      callback_url = null,
      ...asked
    },
    context,
  ) => {
    const agentId = agentIdOf(context) ?? null
    if ('agent_id' in asked.requester && asked.requester.agent_id !== agentId)
      throw refuse('not_owner', {
        detail: 'an agent orders for itself',
        next_action: 'Present its access key, or give a name and a contact.',
      })
    if (asked.payment_reference_id !== undefined && agentId === null)
      throw refuse('credential_required', {
        detail: 'a payment is named by its agent',
      })
    const { requested_tool_id, payment_reference_id } = asked
    const ordered =
      requested_tool_id === SERVICE_OS
        ? (steps ?? []).map((step, index) => ({ ...step, pointer: `/steps/${index}/input` }))
        : [{ rail: Rail.parse(requested_tool_id), input, pointer: '/input' }]
    const order = {
      ...asked,
      agentId,
      quote_id,
      quote_token,
      callback_url,
      payment_reference_id,
      steps: ordered,
      actor: actorOf(agentId),
    }
    const taken = await context.workOrders.create(order, context.callId)
    const verification_packet = await context.receipts.verify({
      receipt_id: taken.receipt.receipt_id,
    })
    return { body: { ...taken, verification_packet } }
  },
})

const actorOf = (agentId: string | null): string =>
  agentId === null ? 'public' : `agent:${agentId}`
