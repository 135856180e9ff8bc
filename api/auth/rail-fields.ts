import { isRail, type RailKey } from '#domain/rails/rail.ts'
import { taskIdOf } from '../../activities/keys/derived-tokens.ts'
import type { AgentRow } from '../../activities/store/agents/agents.ts'
import { findEntitlement } from '../../activities/store/credit/entitlements.ts'
import { findQuote } from '../../activities/store/credit/quotes.ts'
import { findChallenge } from '../../activities/store/payments/challenges.ts'
import { findReference } from '../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { findWorkflow } from '../../activities/store/production/customer-workflows.ts'
import { findTaskOfRun } from '../../activities/store/runs/agent-runs.ts'
import { findContract } from '../../activities/store/tasks/contracts.ts'
import { findTask } from '../../activities/store/tasks/tasks.ts'

/** Whether an agent registered for this rail and the decision about it allows it. */
export const isFor = (
  { rails, limits }: Pick<AgentRow, 'rails' | 'limits'>,
  rail: RailKey,
): boolean => rails.includes(rail) && (limits?.rails?.includes(rail) ?? true)

/** A record of one rail; it has no `agent_id` where any agent may pay for it. */
type OfRail = { rail: string; agent_id?: string | null }
type Find = (tx: Tx, id: string) => Promise<OfRail | undefined>

/** The record that a row refers to. */
const through =
  <Row>(
    find: (tx: Tx, id: string) => Promise<Row | undefined>,
    next: (row: Row) => string | null,
    last: Find,
  ): Find =>
  async (tx, id) => {
    const row = await find(tx, id)
    const named = row === undefined ? null : next(row)
    return named === null ? undefined : last(tx, named)
  }

/** By the input field that names the record. */
const found: Readonly<Record<string, Find>> = {
  quote_id: findQuote,
  challenge_id: through(findChallenge, ({ quote_id }) => quote_id, findQuote),
  entitlement_id: findEntitlement,
  payment_reference_id: through(
    findReference,
    ({ entitlement_id }) => entitlement_id,
    findEntitlement,
  ),
  task_token: (tx, token) => findTask(tx, taskIdOf(token)),
  contract_id: through(findContract, ({ task_id }) => task_id, findTask),
  run_id: findTaskOfRun,
  workflow_id: findWorkflow,
}

/** The fields of inputs that name what is of one rail. */
export const fieldsOfRails: readonly string[] = Object.keys(found)

/** The rails of the records that an agent's call names. An unknown record or one of another agent counts as none: its operation refuses it. */
export async function railsNamed(
  tx: Tx,
  agentId: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const rails: string[] = []
  for (const [field, find] of Object.entries(found)) {
    const id = input[field]
    const named = typeof id === 'string' ? await find(tx, id) : undefined
    if (named === undefined || !isRail(named.rail)) continue
    if (named.agent_id === undefined || named.agent_id === agentId) rails.push(named.rail)
  }
  return rails
}
