import { sql } from 'kysely'
import type { SignedMandate } from '#domain/authority/artifacts.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { requireRow, updateRows } from '../postgres/rows.ts'

/** A firing of a workflow that was made under a mandate, which is not charged with it yet. */
export type DelegatedFiring = {
  firing_id: string
  workflow_id: string
  agent_id: string
  rail: RailKey
  wallet_id: string
  action_id: string
  mandate_id: string
  document: SignedMandate
  input_sha256: string
}

/** The firing that is due by this call, where its workflow was made under a mandate. */
export async function findDelegatedFiring(
  tx: Tx,
  callId: string,
): Promise<DelegatedFiring | undefined> {
  const { rows } = await sql<DelegatedFiring>`
    select f.firing_id, w.workflow_id, w.agent_id, w.rail, w.wallet_id, a.action_id, a.mandate_id, m.document, a.input_sha256
    from workflow_firings f join customer_workflows w using (workflow_id) join delegated_actions a using (action_id)
      join authority_mandates m on m.mandate_id = a.mandate_id
    where f.call_id = ${callId} and f.state = 'due' and f.mandate_id is null`.execute(tx)
  return rows[0]
}

/** What the action that made the workflow has used of its locked mandate, and no run has used yet; undefined where nothing is left. */
export async function findReserved(
  tx: Tx,
  { action_id }: Pick<DelegatedFiring, 'action_id'>,
): Promise<number | undefined> {
  const { price_usd, released_usd, state } = await requireRow(tx, 'delegated_actions', {
    action_id,
  })
  return state === 'refused' || released_usd !== null ? undefined : price_usd
}

/** The run of this firing uses what is reserved. */
export const useReserved = (
  tx: Tx,
  { action_id }: Pick<DelegatedFiring, 'action_id'>,
): Promise<void> => updateRows(tx, 'delegated_actions', { action_id }, { released_usd: 0 })

/** Gives back what is reserved for workflows that start no run any more, of a locked mandate; returns the sum. */
export async function releaseReserved(tx: Tx, mandateId: string): Promise<number> {
  const { rows } = await sql<{ price_usd: number }>`
    update delegated_actions a set released_usd = price_usd from customer_workflows w, authority_mandates m
    where a.mandate_id = ${mandateId} and ${isHeld} and w.action_id = a.action_id and m.mandate_id = a.mandate_id and ${isOver}
    returning a.price_usd`.execute(tx)
  return rows.reduce((sum, { price_usd }) => sum + price_usd, 0)
}

/** Mandates with something to give back. */
export async function listUnreleased(tx: Tx, most: number): Promise<string[]> {
  const { rows } = await sql<{ mandate_id: string }>`
    select distinct a.mandate_id from delegated_actions a join customer_workflows w using (action_id) join authority_mandates m
      on m.mandate_id = a.mandate_id where ${isHeld} and ${isOver} limit ${most}`.execute(tx)
  return rows.map(({ mandate_id }) => mandate_id)
}

const isHeld = sql`a.operation_id = 'customer-workflow-create' and a.state <> 'refused' and a.released_usd is null`
const isOver = sql`(w.state in ('rejected','deleted') or m.revoked_at is not null or m.expires_at <= clock_timestamp())`

export const chargeFiringRow = (
  tx: Tx,
  { firing_id, mandate_id }: DelegatedFiring,
  charged_usd: number,
): Promise<void> => updateRows(tx, 'workflow_firings', { firing_id }, { mandate_id, charged_usd })
