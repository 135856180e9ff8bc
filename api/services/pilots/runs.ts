import { refuse } from '#domain/core/errors.ts'
import { accountOf, judgePilotRun } from '#domain/pilots/pilot.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { secretSha256 } from '../../../activities/keys/derived-tokens.ts'
import {
  changePilot,
  listPilots,
  noPilot,
  type PilotFilter,
  type PilotRow,
  requireLockedPilot,
  requirePilot,
} from '../../../activities/store/pilots/pilots.ts'
import {
  findPilotRun,
  insertPilotRun,
  listReadyPilots,
  type PilotRunRow,
} from '../../../activities/store/pilots/runs.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import type { Page } from '../../../activities/store/postgres/rows.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { findWorkOrder } from '../../../activities/store/work-orders/work-orders.ts'
import type { Writer } from '../authority/write-gate.ts'
import {
  boundView,
  type CustomerStart,
  type ProductionDeps,
  startProductionRun,
} from '../production/production-start.ts'
import { pilotView } from './views.ts'
import { pilotWork } from './work.ts'

/** The first run of a pilot, for the account of its client. */
export type PilotStart = Omit<CustomerStart, 'customer_account'> & {
  pilot_id: string
  /** Of a pilot that no agent is bound to yet. */
  pilot_token?: string | undefined
}
type Reader = { agentId?: string | undefined; pilotId?: string | undefined; operator?: true }

/** How many pilots that may begin are listed. */
const READY_MAX = 25

/** The one run of an activated pilot, started by the agent of its client. */
export class PilotRunService {
  private readonly deps: ProductionDeps

  constructor(deps: ProductionDeps) {
    this.deps = deps
  }

  /** 404, also for the pilot of another client. */
  read({ agentId, pilotId, operator }: Reader, named: string) {
    return transaction(this.deps.db, async (tx) => {
      const pilot = await requirePilot(tx, named)
      const isOwn = pilotId === named || (agentId !== undefined && pilot.agent_id === agentId)
      if (!isOwn && operator !== true) throw noPilot()
      const { pilot: view, run } = await pilotWork(this.deps, tx, pilot)
      return {
        pilot: view,
        run,
        conditions: judgePilotRun({
          isActivated: wasActivated(pilot),
          orderDecision: await decisionOf(tx, run?.work_order_id),
          ...run,
        }),
      }
    })
  }

  /** The pilots of a filter, whatever they began with, the newest first. */
  list(filter: PilotFilter, page: Page) {
    return transaction(this.deps.db, async (tx) => {
      const { rows, total } = await listPilots(tx, filter, page)
      const items = []
      for (const row of rows) items.push(await pilotWork(this.deps, tx, row))
      return { items, ...page, total }
    })
  }

  /** The pilots of a rail whose paid run waits for an operator. */
  ready(rail: RailKey) {
    return listReadyPilots(this.deps.db, rail, READY_MAX)
  }

  /** A pilot by its id; 404 where the rail has none. */
  find(rail: RailKey, pilotId: string) {
    return transaction(this.deps.db, async (tx) => {
      const pilot = await requirePilot(tx, pilotId)
      if (pilot.rail !== rail) throw noPilot()
      return pilotWork(this.deps, tx, pilot)
    })
  }

  /** Starts the run, or continues it. 404, 409 `wrong_state`, `already_exists`, `quote_mismatch`, and what a production run refuses. */
  async start(writer: Writer, { pilot_id, pilot_token, ...given }: PilotStart, callId: string) {
    const { rail, tier } = given
    const pilot = await requirePilot(this.deps.db, pilot_id)
    const presented = { agentId: writer.agentId, pilot_token }
    assertOwn(pilot, presented)
    if (rail !== pilot.rail || tier !== pilot.tier)
      throw refuse('quote_mismatch', { detail: `the pilot is for ${pilot.rail} ${pilot.tier}` })
    const operation = {
      id: 'first-pilot-run',
      path: '/api/first-pilot-run-execution',
      isSold: (railOf(rail).prices?.[tier] ?? 0) > 0,
      find: (tx: Tx, task_id: string) => findPilotRun(tx, { task_id }),
      insert: async (tx: Tx, run: Omit<PilotRunRow, 'pilot_id' | 'started_at'>) => {
        const locked = await requireLockedPilot(tx, pilot_id)
        assertOwn(locked, presented)
        assertActivated(locked)
        await beginPilot(tx, { pilot_id, agent_id: writer.agentId }, run)
      },
      view: async (tx: Tx, row: PilotRunRow, task: TaskRow) => ({
        ...(await boundView(this.deps, tx, row, task)),
        pilot: await pilotView(tx, await requirePilot(tx, pilot_id)),
      }),
    }
    const call = {
      writer,
      given: { ...given, customer_account: accountOf(pilot.client) },
      more: { pilot_id },
      callId,
    }
    return startProductionRun(this.deps, operation, call)
  }
}

/** An activated pilot runs from the transaction on that stores its run. */
export async function beginPilot(
  tx: Tx,
  { pilot_id, agent_id }: { pilot_id: string; agent_id: string },
  run: Omit<PilotRunRow, 'pilot_id' | 'started_at'>,
): Promise<void> {
  await changePilot(tx, pilot_id, { state: 'running', agent_id })
  await insertPilotRun(tx, { ...run, pilot_id })
}

const wasActivated = ({ state }: PilotRow): boolean =>
  !['requested', 'invited', 'accepted', 'declined', 'expired', 'rejected'].includes(state)

async function decisionOf(tx: Tx, workOrderId: string | null | undefined) {
  if (workOrderId == null) return null
  return (await findWorkOrder(tx, { work_order_id: workOrderId }))?.decision ?? null
}

/** The pilot of this agent, or of none yet for who presents its token; 404 for every other. */
export function assertOwn(
  pilot: PilotRow,
  { agentId, pilot_token }: { agentId: string; pilot_token?: string | undefined },
): void {
  const isHeld =
    pilot.agent_id === null &&
    pilot_token !== undefined &&
    secretSha256(pilot_token) === pilot.status_token_sha256
  if (pilot.agent_id !== agentId && !isHeld) throw noPilot()
}

export function assertActivated({ state }: PilotRow): void {
  if (state === 'activated') return
  if (state === 'running')
    throw refuse('already_exists', { detail: 'the first run of the pilot has begun' })
  throw refuse('wrong_state', { detail: `the pilot is ${state}` })
}
