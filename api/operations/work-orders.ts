import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { packetopsInput } from '#domain/rails/packetops/sample.ts'
import { DATA_DECLARATION } from '#domain/tasks/data-declaration.ts'
import { SERVICE_OS } from '#domain/work-orders/work-order.ts'
import { callerIn } from '../caller.ts'
import type { Caller } from '../context.ts'
import { freeText, IdempotencyKey } from '../fields.ts'
import { answeredByService, operation } from '../operation.ts'
import { Rail } from '../shapes/agents.ts'
import { postsOf } from '../shapes/callbacks.ts'
import { Receipt } from '../shapes/receipts.ts'
import { Recovery } from '../shapes/recovery.ts'
import { Run } from '../shapes/runs.ts'
import { inputErrors } from '../shapes/task-inputs.ts'
import { LedgerEntry } from '../shapes/tasks.ts'
import {
  namedProposal,
  Proposal,
  WorkOrder,
  WorkOrderId,
  WorkOrderInput,
} from '../shapes/work-orders.ts'
import { VerificationPacket } from './receipts.ts'

/** A body that the schema takes. */
export const exampleOrder: z.input<typeof WorkOrderInput> = {
  intake_kind: 'external_agent_request',
  requested_tool_id: 'packetops',
  objective: 'A sealed packet of the evidence that is named in the input.',
  input: packetopsInput,
  tier: 'standard',
  requester: { name: 'Northwind', contact: 'ops@northwind.example' },
  data_declaration: DATA_DECLARATION,
  idempotency_key: 'order-7',
}

/** POST /api/work-orders/{work_order_id}/consent: the owner of an order accepts the input that an operator proposes. */
const workOrderConsent = operation({
  id: 'work-order-consent',
  summary:
    'Accept the corrected input that an operator proposes for a run of an order; the run continues with it.',
  http: { method: 'POST', path: '/api/work-orders/{work_order_id}/consent', host: 'base' },
  access: 'status',
  statusToken: { prefixes: ['wt'], signed: true },
  errors: ['not_found', 'not_owner', 'wrong_state', 'evidence_changed', 'forbidden_material'],
  input: z.strictObject({
    ...namedProposal,
    note: freeText(2000).default(''),
    idempotency_key: IdempotencyKey,
  }),
  output: Recovery,
  handle: async ({ work_order_id, idempotency_key: _key, ...consent }, context) => {
    const recovery = await context.workOrders.consent(
      callerIn(context).subjectId,
      work_order_id,
      consent,
    )
    const { status } = await context.recoveries.recover(recovery, context.callId)
    if (status !== 200) throw new Error('an accepted input waits for no decision')
    return answeredByService
  },
})

/** POST /api/work-orders: any caller may send an order, which waits for the review of an operator. */
const workOrderCreate = operation({
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
    const agentId = callerIn(context).agentId ?? null
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

/** POST /api/work-orders/{work_order_id}/decline: the owner of an order declines the input that an operator proposes. */
const workOrderDecline = operation({
  id: 'work-order-decline',
  summary:
    'Decline the corrected input that an operator proposes for a run of an order; the run stays stopped.',
  http: { method: 'POST', path: '/api/work-orders/{work_order_id}/decline', host: 'base' },
  access: 'status',
  statusToken: { prefixes: ['wt'], signed: true },
  errors: ['not_found', 'not_owner', 'wrong_state', 'evidence_changed', 'forbidden_material'],
  input: z.strictObject({
    ...namedProposal,
    reason: freeText(2000, 1).meta({ description: 'Why, for the operator.' }),
    idempotency_key: IdempotencyKey,
  }),
  output: Recovery,
  handle: async ({ work_order_id, run_id, proposed_input_sha256, reason }, context) => {
    const named = { run_id, proposed_input_sha256, note: reason }
    const declined = await context.workOrders.decline(
      callerIn(context).subjectId,
      work_order_id,
      named,
    )
    await context.recoveries.decline(declined, context.callId)
    return answeredByService
  },
})

const schema = z.toJSONSchema(WorkOrderInput, { target: 'draft-2020-12', io: 'input' })

/** GET /api/work-orders: how an order is sent; with an id the caller's own. */
const workOrdersRead = operation({
  id: 'work-orders-read',
  summary: 'Read how a work order is sent, or a work order of your own; an operator reads any.',
  http: { method: 'GET', path: '/api/work-orders', host: 'base' },
  access: ['agent', 'status', 'operator', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'wt'], signed: false },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z.strictObject({ work_order_id: WorkOrderId.optional() }),
  output: z
    .strictObject({
      schema: z.looseObject({}).meta({ description: 'JSON Schema of the body.' }),
      example: z.looseObject({}),
      work_order: WorkOrder.nullable(),
      proposals: z.array(Proposal).meta({
        description: 'Corrected inputs that wait for the consent of the order’s owner.',
      }),
    })
    .meta({ id: 'WorkOrders' }),
  handle: async ({ work_order_id }, { caller, workOrders }) => {
    if (work_order_id === undefined)
      return { body: { schema, example: exampleOrder, work_order: null, proposals: [] } }
    const asker = askerOf(caller, work_order_id)
    return {
      body: {
        schema,
        example: exampleOrder,
        ...(await workOrders.read(asker, work_order_id)),
      },
    }
  },
})

/** An operator, who reviews any order, or whose order it may be. */
function askerOf(caller: Caller, workOrderId: string): { agentId?: string; workOrderId?: string } {
  if (caller.kind === 'operator') return { workOrderId }
  if (caller.kind !== 'agent' && caller.kind !== 'status')
    throw refuse('credential_required', {
      detail: 'an order is read by who sent it',
    })
  const isOrder = caller.kind === 'status' && caller.prefix === 'wt'
  return isOrder ? { workOrderId: caller.subjectId } : { agentId: caller.agentId }
}

/** Orders that any caller may send and only an operator approves. */
export const workOrders = [
  workOrdersRead,
  workOrderCreate,
  workOrderConsent,
  workOrderDecline,
] as const
