import { createHash, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { type Tx, transaction } from '../../activities/store/postgres/db.ts'
import type { Database } from '../../activities/store/schema/schema.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const fresh = () => sha256(randomBytes(16).toString('hex'))

type Run = {
  agentId: string
  entitlementId: string | null
  usage?: 'operational' | 'synthetic'
  customerAccount?: string
  /** The receipt that its use of credit has: it then has a package too. */
  usageReceiptId?: string
}

type Write = { taskId: string; agentId: string; customerAccount: string }

/** The audit event by which the write gate admitted a run for a customer account, stored without the gate. */
export async function storeProductionWrite(
  tx: Tx,
  { taskId, agentId, customerAccount }: Write,
): Promise<void> {
  await sql`set local session_replication_role = replica`.execute(tx)
  await sql`insert into production_writes (audit_event_id, kind, operation_id, rail, subject, checks, passed, agent_id, credential_id,
      customer_account) values (${`aud_${fresh()}`}, 'written', 'production-run-start', 'packetops', ${taskId}, '[]', true, ${agentId},
      ${`cred_${fresh()}`}, ${customerAccount})`.execute(tx)
  await sql`set local session_replication_role = origin`.execute(tx)
}

/** A task of an agent that issued its receipts, stored without the work that leads to it. */
export async function storeFinishedTask(
  db: Kysely<Database>,
  { agentId, entitlementId, usage = 'operational', customerAccount, usageReceiptId }: Run,
): Promise<string> {
  const task_id = `task-${fresh()}`
  await transaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`insert into tasks (task_id, state, sequence, head_hash, agent_id, rail, tier, usage, on_gaps, terms_sha256,
        input_sha256, review_decision, entitlement_id)
      values (${task_id}, 'closed', 1, ${fresh()}, ${agentId}, 'packetops', 'entry', ${usage}, 'report', ${fresh()},
        ${fresh()}, 'approve', ${entitlementId})`.execute(tx)
    await sql`insert into task_events (task_id, sequence, event_id, event, from_state, to_state, actor, data, data_sha256, at,
        prev_hash, hash) select ${task_id}, 1, 'issued', 'receipts_issued', 'attested', 'receipt_issued', 'service', '{}', d, t, p,
        encode(sha256(convert_to('{"actor":"service","at":"' || to_char(t at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
          || '","data_sha256":"' || d || '","event":"receipts_issued","from_state":"attested","prev_hash":"' || p
          || '","sequence":1,"to_state":"receipt_issued"}', 'UTF8')), 'hex')
      from (select encode(sha256('{}'), 'hex') as d, date_trunc('milliseconds', clock_timestamp()) as t, ${fresh()} as p) x`.execute(
      tx,
    )
    if (usageReceiptId !== undefined) {
      await sql`insert into task_credits (task_id, quote_id, entitlement_id, units, state, usage_receipt_id)
        select ${task_id}, quote_id, entitlement_id, 0, 'used', ${usageReceiptId} from entitlements
        where entitlement_id = ${entitlementId}`.execute(tx)
      await sql`insert into return_packages (return_package_id, run_id, partial, package, manifest_sha256, result_sha256, proof_hash,
          completion_signature) values (${`rp_${fresh()}`}, run_id_of(${task_id}), false, '{}', ${fresh()}, ${fresh()}, ${fresh()}, 's')`.execute(
        tx,
      )
    }
    if (customerAccount !== undefined)
      await storeProductionWrite(tx, { taskId: task_id, agentId, customerAccount })
  })
  return task_id
}
