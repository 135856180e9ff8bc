import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { pathOf } from '#domain/production/activation-path.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import { lockAgent } from '../../../activities/store/agents/agents.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  type ActivationRow,
  countActivationsOf,
  findActivation,
  findActivationFor,
  insertActivation,
  readPathRecords,
} from '../../../activities/store/production/activations.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'

/** Decision: so many customer accounts may one agent begin to activate within a day. */
const STARTED_PER_DAY = 20

type Started = { agentId: string; customer_account: string; rail: RailKey; tier: Tier }

/** The path of a customer account to its first run. Each step is read from the records behind it. */
export class ActivationPaths {
  private readonly deps: { db: Kysely<Database> }

  constructor(deps: { db: Kysely<Database> }) {
    this.deps = deps
  }

  /** 404 for an unknown activation and for one of another agent. */
  async read(agentId: string, activationId: string) {
    const row = await findActivation(this.deps.db, activationId)
    if (row === undefined || row.agent_id !== agentId)
      throw refuse('not_found', { detail: 'no activation of yours has this id' })
    return activationView(this.deps.db, row)
  }

  /** 403 for a sandbox agent or a rail without a price, 409 `already_exists`, 429 past the limit of a day. */
  start({ agentId, ...asked }: Started, callId: string) {
    const activation_id = `av_${digestOf({ type: 'service.activation.v1', call: callId })}`
    const call = { callId, subject: activation_id, status: 201 }
    return answerOnce(this.deps, call, async (tx) => {
      await assertMayStart(tx, agentId, asked)
      const begun = { agent_id: agentId, ...asked }
      const row = await insertActivation(tx, { activation_id, ...begun })
      if (row === undefined)
        throw refuse('already_exists', {
          detail: 'the agent activates this account for the rail and tier already',
          next_action: 'Read the activation that "activation_id" names.',
          extra: { activation_id: (await findActivationFor(tx, begun))?.activation_id },
        })
      return { activation: await activationView(tx, row) }
    })
  }
}

/** The lock of the agent's row makes parallel starts of one agent count each other. */
async function assertMayStart(
  tx: Tx,
  agentId: string,
  { rail, tier }: Pick<Started, 'rail' | 'tier'>,
): Promise<void> {
  if ((railOf(rail).prices?.[tier] ?? 0) === 0)
    throw refuse('rail_not_allowed', {
      detail: `${rail} has no paid runs`,
      next_action: 'Take a rail and tier with a price: GET /api/agent-pricing.',
    })
  if ((await lockAgent(tx, agentId))?.sandbox !== false)
    throw refuse('trust_required', {
      detail: 'a sandbox agent has no customer accounts',
      next_action: 'Register an agent that is no sandbox agent.',
    })
  if ((await countActivationsOf(tx, agentId)) < STARTED_PER_DAY) return
  throw refuse('rate_limited', {
    detail: `an agent begins at most ${STARTED_PER_DAY} activations within a day`,
    retry_after_ms: 3_600_000,
  })
}

async function activationView(tx: Tx, row: ActivationRow) {
  const { agent_id: _agent, started_at, ...activation } = row
  const path = pathOf(await readPathRecords(tx, row))
  return { ...activation, started_at: started_at.toISOString(), ...path }
}
