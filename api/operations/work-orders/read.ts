import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import type { Caller } from '../../context.ts'
import { operation } from '../../operation.ts'
import { exampleOrder, Proposal, WorkOrder, WorkOrderId, WorkOrderInput } from './shapes.ts'

const schema = z.toJSONSchema(WorkOrderInput, { target: 'draft-2020-12', io: 'input' })

/** GET /api/work-orders: how an order is sent; with an id the caller's own. */
export const workOrdersRead = operation({
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
