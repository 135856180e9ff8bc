import { createHash, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { transaction } from '../../activities/store/postgres/db.ts'
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
      await sql`insert into customer_runs (task_id, audit_event_id, asked_sha256, customer_account)
        values (${task_id}, ${`aud_${fresh()}`}, ${fresh()}, ${customerAccount})`.execute(tx)
  })
  return task_id
}
