import { sql } from 'kysely'
import type { SignedMandate } from '#domain/authority/artifacts.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { updateRows } from '../postgres/rows.ts'

/** A firing of a workflow that was made under a mandate, which is not charged with it yet. */
export type DelegatedFiring = {
  firing_id: string
  workflow_id: string
  agent_id: string
  rail: RailKey
  wallet_id: string
  mandate_id: string
  document: SignedMandate
  input_sha256: string
  /** What the action that made the workflow has used of the mandate. */
  reserved_usd: number
}

/** The firing that is due by this call, where its workflow was made under a mandate. */
export async function findDelegatedFiring(
  tx: Tx,
  callId: string,
): Promise<DelegatedFiring | undefined> {
  const { rows } = await sql<DelegatedFiring>`
    select f.firing_id, w.workflow_id, w.agent_id, w.rail, w.wallet_id, a.mandate_id, m.document, a.input_sha256,
      case when a.state = 'refused' then 0 else a.price_usd end as reserved_usd
    from workflow_firings f join customer_workflows w using (workflow_id) join delegated_actions a using (action_id)
      join authority_mandates m on m.mandate_id = a.mandate_id
    where f.call_id = ${callId} and f.state = 'due' and f.mandate_id is null`.execute(tx)
  return rows[0]
}

/** Whether no firing of the workflow was charged before; its mandate is locked. */
export async function isFirstRun(
  tx: Tx,
  { workflow_id }: Pick<DelegatedFiring, 'workflow_id'>,
): Promise<boolean> {
  const found = await tx
    .selectFrom('workflow_firings')
    .select('firing_id')
    .where('workflow_id', '=', workflow_id)
    .where('mandate_id', 'is not', null)
    .executeTakeFirst()
  return found === undefined
}

export const chargeFiringRow = (
  tx: Tx,
  { firing_id, mandate_id }: DelegatedFiring,
  charged_usd: number,
): Promise<void> => updateRows(tx, 'workflow_firings', { firing_id }, { mandate_id, charged_usd })
