import type { StateTable } from '../core/state-table.ts'
import { type RailKey, requestedTools } from '../rails/rail.ts'
import type { TaskState } from '../tasks/lifecycle.ts'

export const intakeKinds = ['external_agent_request', 'workflow_intake'] as const
/** What an order may ask for: a rail that takes such requests, or `service_os`, which is several runs in one order. */
export const SERVICE_OS = 'service_os' as const
export type ToolId = typeof SERVICE_OS | (typeof requestedTools)[number]
/** The tool id of an order for a run of this rail that was asked for otherwise. */
export const toolOf = (rail: RailKey): ToolId =>
  requestedTools.find((tool) => tool === rail) ?? SERVICE_OS

export const workOrderStates = [
  'queued',
  'approved',
  'claimed',
  'operating',
  'delivered',
  'completed',
  'rejected',
  'failed',
] as const
export type WorkOrderState = (typeof workOrderStates)[number]

/** What an order's state follows from: its decision, and where the tasks behind it stand. */
export type OrderedTask = { state: TaskState; begun: boolean; attested: boolean }

/** How a claim of an order on the exchange stands; `held` and `delivered` are those that are not decided. */
export const exchangeClaimStates = [
  'held',
  'delivered',
  'accepted',
  'rejected',
  'released',
  'expired',
] as const
export type ExchangeClaimState = (typeof exchangeClaimStates)[number]

/** The state table of a claim. */
export const exchangeClaimTransitions: StateTable<
  ExchangeClaimState,
  'deliver' | 'release' | 'lapse' | 'accept' | 'reject'
> = {
  held: { deliver: 'delivered', release: 'released', lapse: 'expired' },
  delivered: { accept: 'accepted', reject: 'rejected' },
  accepted: {},
  rejected: {},
  released: {},
  expired: {},
}

/** How far an order is: by its decision, and by its tasks or a claim of it. It has failed once all tasks are closed and one has no result. */
export function workOrderState(
  decision: 'approve' | 'reject' | null,
  tasks: readonly OrderedTask[],
  claim?: ExchangeClaimState,
): WorkOrderState {
  if (decision === 'reject') return 'rejected'
  if (hasEnded(tasks) && !tasks.every(({ attested }) => attested)) return 'failed'
  if (decision === null) return 'queued'
  if (claim === 'held') return 'claimed'
  if (claim === 'delivered') return 'delivered'
  if (tasks.length > 0 && tasks.every(({ attested }) => attested))
    return hasEnded(tasks) ? 'completed' : 'delivered'
  return tasks.some(({ begun }) => begun) ? 'operating' : 'approved'
}

const hasEnded = (tasks: readonly OrderedTask[]): boolean =>
  tasks.length > 0 && tasks.every(({ state }) => state === 'closed')
