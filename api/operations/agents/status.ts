import { z } from 'zod'
import { keyStates } from '#domain/agents/credential.ts'
import { refuse } from '#domain/core/errors.ts'
import { agentRecordKinds } from '#domain/core/record-kinds.ts'
import type { workOrderStates } from '#domain/work-orders/work-order.ts'
import { operation } from '../../operation.ts'
import { Pilot } from '../pilots/shapes.ts'
import { RuntimeRecord, Task } from '../tasks/shapes.ts'
import { WorkOrder } from '../work-orders/shapes.ts'
import { callingToken } from './caller.ts'
import { AgentId, TrustState } from './shapes.ts'

const AgentStatus = z
  .strictObject({
    kind: z.literal('agent'),
    agent_id: AgentId,
    trust_state: TrustState,
    credential: z
      .strictObject({ state: z.enum(keyStates), version: z.int(), claimable: z.boolean() })
      .nullable(),
    tasks: z.array(Task).meta({ description: 'The newest 25.' }),
    work_orders: z.array(WorkOrder).meta({ description: 'The newest 25.' }),
    pilots: z.array(Pilot).meta({ description: 'The newest 25.' }),
    records: z.array(RuntimeRecord).meta({
      description:
        'The newest 25 runtime records of each kind: onboarding, trust and access keys, or of the kind that is asked for.',
    }),
    next_action: z.string(),
    steps: z
      .array(z.strictObject({ step: z.string(), done: z.boolean() }))
      .meta({ description: 'Self-onboarding and access key delivery, in their order.' }),
  })
  .meta({ id: 'AgentStatus' })
const TaskStatus = z
  .strictObject({
    kind: z.literal('task'),
    task: Task,
    return_package_id: z
      .string()
      .nullable()
      .meta({ description: 'Of a package that this link followed by /return-package reads.' }),
    next_action: z.string(),
  })
  .meta({ id: 'TaskStatus' })
const OrderStatus = z
  .strictObject({ kind: z.literal('work_order'), work_order: WorkOrder, next_action: z.string() })
  .meta({ id: 'WorkOrderStatus' })
const PilotStatus = z
  .strictObject({ kind: z.literal('pilot'), pilot: Pilot, next_action: z.string() })
  .meta({ id: 'PilotStatus' })

const read =
  'Read its run_ids at POST /api/agent-use, with this token in X-Status-Token or the access key of its agent: get_run_status, and fetch_return_package once a run is closed.'
const nextOf: Record<(typeof workOrderStates)[number], string> = {
  queued: 'It waits for the review of an operator.',
  approved:
    'Ask for the quote of each run at POST /api/agents/quote, pay it, and present the payment at POST /api/agent-payment-rail: both with this token in X-Status-Token, or with the access key of its agent.',
  rejected: read,
  failed: read,
  claimed: read,
  operating: read,
  delivered: read,
  completed: read,
}

/** GET /api/agents/status/{token}: the token reads and nothing more; an unknown one is 404. */
export const agentStatus = operation({
  id: 'agent-status',
  summary:
    'Read the subject of a status token: an agent’s trust, access key, orders, pilots and next steps, or the state of a task, order or pilot.',
  http: { method: 'GET', path: '/api/agents/status/{token}', host: 'base' },
  access: 'status',
  statusToken: { prefixes: ['st', 'tk', 'wt', 'pt'], signed: false },
  errors: ['invalid_request'],
  input: z.strictObject({
    kind: z.enum(agentRecordKinds).optional().meta({
      description: 'The runtime records of an agent that are listed.',
    }),
  }),
  output: z.discriminatedUnion('kind', [AgentStatus, TaskStatus, OrderStatus, PilotStatus]),
  handle: async ({ kind }, context) => {
    const { prefix, subjectId } = callingToken(context)
    if (prefix === 'st') return { body: await context.registrations.status(subjectId, kind) }
    if (kind !== undefined)
      throw refuse('invalid_request', {
        detail: 'the records of a kind are those of an agent here, and of a task in its ledger',
      })
    if (prefix === 'pt') {
      const pilot = await context.pilots.read(subjectId)
      return { body: { kind: 'pilot' as const, pilot, next_action: pilot.next_step } }
    }
    if (prefix === 'wt') {
      const order = { workOrderId: subjectId }
      const { work_order } = await context.workOrders.read(order, subjectId)
      const next_action = nextOf[work_order.state]
      return { body: { kind: 'work_order' as const, work_order, next_action } }
    }
    const task = await context.tasks.read(subjectId)
    const return_package_id = await context.runs.deliveredPackageId(subjectId)
    const { next_action } = task
    return { body: { kind: 'task' as const, task, return_package_id, next_action } }
  },
})
