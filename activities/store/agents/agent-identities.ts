import type { Selectable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { findRow, insertRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type IdentityRow = Selectable<Database['agent_identities']>

export const insertIdentity = (tx: Tx, identity: Omit<IdentityRow, 'verified_at'>) =>
  insertRow(tx, 'agent_identities', identity)

/** The identity that the agent proved when it registered, if it claimed one. */
export const findIdentity = (tx: Tx, agentId: string) =>
  findRow(tx, 'agent_identities', { agent_id: agentId })
