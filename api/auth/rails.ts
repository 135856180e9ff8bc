import { isRail } from '#domain/rails/rail.ts'
import { taskIdOf } from '../../activities/keys/derived-tokens.ts'
import { findEntitlement } from '../../activities/store/credit/entitlements.ts'
import { findQuote } from '../../activities/store/credit/quotes.ts'
import { findChallenge } from '../../activities/store/payments/challenges.ts'
import { findReference } from '../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { findWorkflow } from '../../activities/store/production/customer-workflows.ts'
import { findTaskOfRun } from '../../activities/store/runs/agent-runs.ts'
import { findContract } from '../../activities/store/tasks/contracts.ts'
import { findTask } from '../../activities/store/tasks/tasks.ts'

import type { Caller } from '../context.ts'
import { type AnyOperation, waysOf } from '../operation.ts'
import { assertCovers } from './credential-standing.ts'

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

type Input = Readonly<Record<string, unknown>>
/** The rails of a credential limit commands; a read shows every record of its agent. */
const commands = ({ idempotency }: AnyOperation): boolean => idempotency.kind !== 'read'

/** Whether a call of an agent can name rails, by itself or by the ids of what is bought, agreed on or run. */
export function namesRails(operation: AnyOperation): boolean {
  const { needs, input } = operation
  if (!waysOf(operation).includes('agent')) return false
  const fields = 'shape' in input ? Object.keys(input.shape as object) : []
  return (
    needs?.rail !== undefined ||
    (commands(operation) && fields.some((field) => fieldsOfRails.includes(field)))
  )
}

/** The rails that this input names; `ofIds` looks up those of the ids in it. */
export async function railsOf(
  operation: AnyOperation,
  input: unknown,
  ofIds: (input: Input) => Promise<string[]>,
): Promise<string[]> {
  const named = operation.needs?.rail?.(input) ?? []
  return [named, commands(operation) ? await ofIds(input as Input) : []].flat()
}

/** Looks up the rails of the ids and tokens in the input of an agent's call. */
export type RailLookup = {
  readonly agents: { readonly railsNamed: (agentId: string, input: Input) => Promise<string[]> }
}

/** Throws 403 `rail_not_allowed` where an agent's credential does not cover the rails that its input names. */
export async function assertRails(
  { operation, input }: { operation: AnyOperation; input: unknown },
  caller: Caller,
  { agents }: RailLookup,
): Promise<void> {
  if (caller.kind !== 'agent' || operation.needs === undefined) return
  const named = await railsOf(operation, input, (given) => agents.railsNamed(caller.agentId, given))
  const rail = named.find((one) => !caller.credential.rails.some((allowed) => allowed === one))
  assertCovers(caller.credential, { scopes: operation.needs.scopes, rail })
}
