import { taskIdOf } from '../keys/derived-tokens.ts'
import { findTaskOfRun } from '../store/agent-runs.ts'
import type { AgentRow } from '../store/agents.ts'
import { findChallenge } from '../store/challenges.ts'
import { findContract } from '../store/contracts.ts'
import type { Tx } from '../store/db.ts'
import { findEntitlement } from '../store/entitlements.ts'
import { findReference } from '../store/payment-references.ts'
import { findQuote } from '../store/quotes.ts'
import { findTask } from '../store/tasks.ts'

/** Whether an agent registered for this rail and the decision about it allows it. */
export const isFor = ({ rails, limits }: Pick<AgentRow, 'rails' | 'limits'>, rail: string): boolean =>
  rails.includes(rail) && (limits?.rails?.includes(rail) ?? true)

/** What is of one rail; `agent_id` is whose it is, and is not there for what anybody may pay. */
type OfRail = { rail: string; agent_id?: string | null }
type Find = (tx: Tx, id: string) => Promise<OfRail | undefined>

/** What a row leads to. */
const through =
  <Row>(find: (tx: Tx, id: string) => Promise<Row | undefined>, next: (row: Row) => string | null, last: Find): Find =>
  async (tx, id) => {
    const row = await find(tx, id)
    const named = row === undefined ? null : next(row)
    return named === null ? undefined : last(tx, named)
  }

/** By the field that an operation's input names it in. */
const found: Readonly<Record<string, Find>> = {
  quote_id: findQuote,
  challenge_id: through(findChallenge, ({ quote_id }) => quote_id, findQuote),
  entitlement_id: findEntitlement,
  payment_reference_id: through(findReference, ({ entitlement_id }) => entitlement_id, findEntitlement),
  task_token: (tx, token) => findTask(tx, taskIdOf(token)),
  contract_id: through(findContract, ({ task_id }) => task_id, findTask),
  run_id: findTaskOfRun,
}

/** The fields of inputs that name what is of one rail. */
export const fieldsOfRails: readonly string[] = Object.keys(found)

/** The rails of what an agent's call names. What is not there or another agent's has none: its operation refuses it. */
export async function railsNamed(tx: Tx, agentId: string, input: Readonly<Record<string, unknown>>): Promise<string[]> {
  const rails: string[] = []
  for (const [field, find] of Object.entries(found)) {
    const id = input[field]
    const named = typeof id === 'string' ? await find(tx, id) : undefined
    if (named !== undefined && (named.agent_id === undefined || named.agent_id === agentId)) rails.push(named.rail)
  }
  return rails
}
