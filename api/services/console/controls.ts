import { oneLine } from '#domain/core/plain-text.ts'
import { type AgentLineFilter, listAgentLines } from '../../../activities/store/console/agents.ts'
import { listControlChanges, listPauses } from '../../../activities/store/operators/controls.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'

const TEXT_MAX = 200

/** Agents and pauses as operators look at them. */
export class ControlsService {
  readonly #db: Tx

  constructor(db: Tx) {
    this.#db = db
  }

  async agents(filter: AgentLineFilter, page: { offset: number; limit: number }) {
    const lines = await listAgentLines(this.#db, filter, page)
    return lines.map(({ trust_since, credential_expires_at, created_at, name, ...line }) => ({
      ...line,
      name: oneLine(name, TEXT_MAX),
      trust_since: trust_since.toISOString(),
      credential_expires_at: credential_expires_at?.toISOString() ?? null,
      created_at: created_at.toISOString(),
    }))
  }

  /** What is paused now, and the latest changes of the switches. */
  async pauses() {
    const [active, changes] = await Promise.all([
      listPauses(this.#db),
      listControlChanges(this.#db, 50),
    ])
    return {
      active: active.map(({ changed_at, target, ...pause }) => ({
        ...pause,
        target: target || null,
        changed_at: changed_at.toISOString(),
      })),
      changes: changes.map(({ changed_at, target, operator_name, operator_id, ...change }) => ({
        change_id: change.change_id,
        scope: change.scope,
        target: target || null,
        paused: change.paused,
        reason: change.reason,
        operator_name,
        receipt_id: change.receipt_id,
        changed_at: changed_at.toISOString(),
      })),
    }
  }
}
