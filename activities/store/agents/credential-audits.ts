import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { countEach, insertOnce } from '../postgres/rows.ts'

/** The result of checking a presented credential. */
export type CredentialAudit = {
  auditEventId: string
  operationId: string
  credentialId: string | null
  decision: 'allow' | 'deny'
  reasons: readonly string[]
}

/** Appends the result of a check. Storing the same event again changes nothing. */
export async function insertAudit(tx: Tx, audit: CredentialAudit): Promise<void> {
  const { auditEventId, operationId, credentialId, decision, reasons } = audit
  await insertOnce(tx, 'credential_audits', {
    audit_event_id: auditEventId,
    operation_id: operationId,
    credential_id: credentialId,
    decision,
    reasons: JSON.stringify(reasons),
  })
}

/** A check by the id of its event. */
export const findAudit = (tx: Tx, auditEventId: string) =>
  tx
    .selectFrom('credential_audits')
    .select(['audit_event_id', 'operation_id', 'decision', 'reasons', 'at'])
    .where('audit_event_id', '=', auditEventId)
    .executeTakeFirst()

/** The number of checks by their result, each up to `COUNTED_MAX`. */
export async function countAudits(tx: Tx): Promise<Record<'allow' | 'deny', number>> {
  const rows = sql`select from credential_audits where decision = value`
  return { allow: 0, deny: 0, ...(await countEach(tx, ['allow', 'deny'], rows)) }
}
