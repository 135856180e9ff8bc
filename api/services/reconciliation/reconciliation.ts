import type { Kysely } from 'kysely'
import { refuse } from '#domain/core/errors.ts'
import { isGood } from '#domain/receipts/key-standing.ts'
import { boundsOf, dayOf, STATEMENT_TYP, type StatementClaims } from '#domain/receipts/statement.ts'
import { decodeCompact, verifyCompact } from '../../../activities/keys/compact.ts'
import { keyTimes } from '../../../activities/keys/published-key.ts'
import { type ReceiptView, receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerCall, claimGrant } from '../../../activities/store/calls/calls.ts'
import { listPublicKeys } from '../../../activities/store/keys/signing-keys.ts'
import { type PayoutRecord, readPayout } from '../../../activities/store/payouts/payouts.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { issueReceipt, type ReceiptSigner } from '../../../activities/store/receipts/receipts.ts'
import {
  lastReconciliation,
  type ReconciliationRow,
} from '../../../activities/store/reconciliation/reconciliations.ts'
import { findStatement } from '../../../activities/store/reconciliation/statements.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import {
  closeException,
  type ExceptionRow,
  listOpenExceptions,
} from '../../../activities/store/tasks/exceptions.ts'

/** How many open exceptions one answer holds; the newest come first. */
const LISTED_MAX = 200

/** Who closes an exception. */
export type Closer = { operatorId: string; name: string }
export type CloseDeps = { issuer: string; environment: string; signReceipt: ReceiptSigner }
export type CloseInput = { exception_id: string; reason: string }
export type CloseAnswer = { exception: ReturnType<typeof exceptionView>; receipt: ReceiptView }

/** `show` makes the workflow of a payout read again whether an operator is still needed; it may fail without harm. */
type ServiceDeps = CloseDeps & {
  db: Kysely<Database>
  show: (record: PayoutRecord) => Promise<void>
}

/** Reconciliation as operators see it: what was signed and found, and the one act there is. */
export class ReconciliationService {
  private readonly deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.deps = deps
  }

  /** The statement of a day, or the latest, with the last run and the open exceptions; throws 404 for a day without one. */
  async read(day?: string) {
    const { db } = this.deps
    const statement = await findStatement(db, day)
    if (statement === undefined && day !== undefined)
      throw refuse('not_found', {
        detail: `${day} has no statement`,
        next_action: 'Statements are signed once their day is final on chain.',
      })
    const last = await lastReconciliation(db)
    return {
      day: statement?.day ?? null,
      statement:
        statement === undefined ? null : (decodeCompact(statement.jws).payload as StatementClaims),
      jws: statement?.jws ?? null,
      last_run: last === undefined ? null : runView(last),
      exceptions: (await listOpenExceptions(db, LISTED_MAX)).map(exceptionView),
    }
  }

  /** The act, its answer and the use of its call are one transaction. */
  async close(closer: Closer, input: CloseInput, callId: string): Promise<CloseAnswer> {
    const { db, show } = this.deps
    const answer = await transaction(db, async (tx) => {
      await claimGrant(tx, callId, input.exception_id)
      const closed = await closeWithReceipt(this.deps, tx, { closer, input })
      await answerCall(callId, input.exception_id, 200, closed).run(tx)
      return closed
    })
    const record = await readPayout(db, answer.exception.subject)
    if (record !== undefined) await show(record).catch(() => undefined)
    return answer
  }
}

/** Closes an open exception with a signed receipt that names operator and reason; what differs is not touched. */
export async function closeWithReceipt(
  deps: CloseDeps,
  tx: Tx,
  { closer, input }: { closer: Closer; input: CloseInput },
): Promise<CloseAnswer> {
  const { operatorId, name } = closer
  const { exception_id, reason } = input
  const row = await closeException(tx, { exceptionId: exception_id, closedBy: operatorId, reason })
  const { code, evidence_sha256, seen } = row
  const facts = {
    code,
    exception_subject: row.subject,
    evidence_sha256,
    still_seen: seen,
    reason,
    operator_id: operatorId,
    operator_name: name,
  }
  const about = { subject: exception_id, kind: 'exception_closed', usage: 'operational', facts }
  const jws = await issueReceipt(deps, tx, about)
  return { exception: exceptionView(row), receipt: receiptView(jws) }
}

/** Whether a statement is signed by a receipt key of ours and follows the statement of the day before it. */
export async function verifyStatement(
  tx: Tx,
  jws: string,
): Promise<{ claims: StatementClaims; faults: string[] }> {
  const { header, payload } = decodeCompact(jws)
  const claims = payload as StatementClaims
  const key = (await listPublicKeys(tx)).find(
    ({ ring, kid }) => ring === 'receipt' && kid === header['kid'],
  )
  const stored = await findStatement(tx, claims.day)
  const storedAt = stored?.jws === jws ? stored.made_at.getTime() / 1000 : null
  const before = await findStatement(tx, dayOf(boundsOf(claims.day).begin - 1))
  const faults: string[] = []
  if (key === undefined) faults.push('no receipt key of this service has its kid')
  else if (!verifies(jws, key.public_jwk)) faults.push('its signature does not verify')
  else if (!isGood(keyTimes(key), { issuedAt: claims.iat, storedAt }))
    faults.push(
      'its key was retired before its date, or is revoked and no older record of it exists',
    )
  if ((before?.sha256 ?? null) !== claims.prev)
    faults.push('it does not follow the statement of the day before')
  return { claims, faults }
}

function verifies(jws: string, publicJwk: Record<string, unknown>): boolean {
  try {
    return verifyCompact(jws, { typ: STATEMENT_TYP, alg: 'EdDSA', publicJwk }) !== undefined
  } catch {
    return false
  }
}

export function exceptionView(row: ExceptionRow) {
  return {
    exception_id: row.exception_id,
    code: row.code,
    subject: row.subject,
    state: row.state,
    evidence: row.evidence as Record<string, unknown>,
    seen: row.seen,
    first_seen_at: row.first_seen_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
    closed_by: row.closed_by,
    reason: row.reason,
  }
}

const runView = (row: ReconciliationRow) => ({
  reconciliation_id: row.reconciliation_id,
  scope: row.scope,
  from_block: Number(row.from_block),
  through_block: Number(row.through_block),
  compared: row.compared,
  differences: row.differences ?? 0,
  started_at: row.started_at.toISOString(),
  completed_at: row.completed_at?.toISOString() ?? null,
})
