import { refuse } from '#domain/core/errors.ts'
import { judgePilotRun } from '#domain/pilots/pilot.ts'
import { railOf } from '#domain/rails/index.ts'
import { secretSha256 } from '../../../activities/keys/derived-tokens.ts'
import { changePilot, lockPilot, type PilotRow } from '../../../activities/store/pilots/pilots.ts'
import {
  findPilotRun,
  insertPilotRun,
  type PilotRunRow,
} from '../../../activities/store/pilots/runs.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { findWorkOrder } from '../../../activities/store/work-orders/work-orders.ts'
import {
  boundView,
  type CustomerStart,
  type ProductionDeps,
  startProductionRun,
} from '../production/production-start.ts'
import type { Writer } from '../production/write-gate.ts'
import { noPilot } from './no-pilot.ts'
import { requirePilot } from './pilots.ts'
import { pilotView } from './views.ts'

/** The first run of a pilot, for the account of its client. */
export type PilotStart = Omit<CustomerStart, 'customer_account'> & {
  pilot_id: string
  /** Of a pilot that no agent is bound to yet. */
  pilot_token?: string | undefined
}
type Reader = { agentId?: string | undefined; pilotId?: string | undefined; operator?: true }

/** The one run of an activated pilot, started by the agent of its client. */
export class PilotRunService {
  readonly #deps: ProductionDeps

  constructor(deps: ProductionDeps) {
    this.#deps = deps
  }

  /** 404, also for the pilot of another client. */
  read({ agentId, pilotId, operator }: Reader, named: string) {
    return transaction(this.#deps.db, async (tx) => {
      const pilot = await requirePilot(tx, named)
      const isOwn = pilotId === named || (agentId !== undefined && pilot.agent_id === agentId)
      if (!isOwn && operator !== true) throw noPilot()
      const row = await findPilotRun(tx, { pilot_id: named })
      const bound =
        row && (await boundView(this.#deps, tx, row, await requireTask(tx, row.task_id)))
      return {
        pilot: await pilotView(tx, pilot),
        run: bound === undefined ? null : withoutToken(bound.run),
        conditions: judgePilotRun({
          isActivated: wasActivated(pilot),
          orderDecision: await decisionOf(tx, bound?.run.work_order_id),
          ...bound?.run,
        }),
      }
    })
  }

  /** Starts the run, or continues it. 404, 409 `wrong_state`, `already_exists`, `quote_mismatch`, and what a production run refuses. */
  async start(writer: Writer, { pilot_id, pilot_token, ...given }: PilotStart, callId: string) {
    const { rail, tier } = given
    const pilot = await requirePilot(this.#deps.db, pilot_id)
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
        const locked = await lockPilot(tx, pilot_id)
        if (locked === undefined) throw noPilot()
        assertOwn(locked, presented)
        assertActivated(locked)
        await changePilot(tx, pilot_id, { state: 'running', agent_id: writer.agentId })
        await insertPilotRun(tx, { ...run, pilot_id })
      },
      view: async (tx: Tx, row: PilotRunRow, task: TaskRow) => ({
        ...(await boundView(this.#deps, tx, row, task)),
        pilot: await pilotView(tx, await requirePilot(tx, pilot_id)),
      }),
    }
    const { account_id, name } = pilot.client
    const call = {
      writer,
      given: { ...given, customer_account: account_id ?? name },
      more: { pilot_id },
      callId,
    }
    return startProductionRun(this.#deps, operation, call)
  }
}

/** The token of the task and the links with it are its agent's. */
function withoutToken<Run extends { task_token: string; links: object }>({
  task_token: _token,
  links: _links,
  ...run
}: Run) {
  return run
}

const wasActivated = ({ state }: PilotRow): boolean =>
  !['requested', 'invited', 'accepted', 'declined', 'expired', 'rejected'].includes(state)

async function decisionOf(tx: Tx, workOrderId: string | null | undefined) {
  if (workOrderId == null) return null
  return (await findWorkOrder(tx, { work_order_id: workOrderId }))?.decision ?? null
}

/** The pilot of this agent, or of none yet for who presents its token; 404 for every other. */
function assertOwn(
  pilot: PilotRow,
  { agentId, pilot_token }: { agentId: string; pilot_token?: string | undefined },
): void {
  const isHeld =
    pilot.agent_id === null &&
    pilot_token !== undefined &&
    secretSha256(pilot_token) === pilot.status_token_sha256
  if (pilot.agent_id !== agentId && !isHeld) throw noPilot()
}

function assertActivated({ state }: PilotRow): void {
  if (state === 'activated') return
  if (state === 'running')
    throw refuse('already_exists', { detail: 'the first run of the pilot has begun' })
  throw refuse('wrong_state', { detail: `the pilot is ${state}` })
}
