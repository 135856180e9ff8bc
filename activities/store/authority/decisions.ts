import type { Tx } from '../postgres/db.ts'
import { insertRow, type NewRow } from '../postgres/rows.ts'

/** Stores a decision with the rules that decided. Decisions do not change. */
export const insertDecision = (tx: Tx, decision: NewRow<'authority_decisions'>) =>
  insertRow(tx, 'authority_decisions', decision)
