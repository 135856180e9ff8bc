import { type Insertable, sql } from 'kysely'
import type { GateCheck } from '#domain/production/write-gate.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { findRow, insertOnce, upTo } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

type NewWrite = Omit<Insertable<Database['production_writes']>, 'checks' | 'checked_at'> & {
  checks: readonly GateCheck[]
}

/** Appends the audit event of a write. Storing the same event again changes nothing. */
export async function insertProductionWrite(tx: Tx, write: NewWrite): Promise<void> {
  await insertOnce(tx, 'production_writes', { ...write, checks: JSON.stringify(write.checks) })
}

/** A gated write, a validation, or a controlled pilot that was refused, by the id of its audit event. */
export type AuditedWrite = {
  audit_event_id: string
  kind: 'validated' | 'written' | 'refused'
  operation_id: string
  rail: RailKey
  agent_id: string | null
  subject: string
  passed: boolean
  code: string | null
  checks: { check: string; ok: boolean; detail: string }[]
  at: Date
}

export async function findAuditedWrite(
  tx: Tx,
  auditEventId: string,
): Promise<AuditedWrite | undefined> {
  const write = await findProductionWrite(tx, auditEventId)
  if (write !== undefined) return { ...write, code: null, at: write.checked_at }
  const refused = await findRow(tx, 'pilot_activations', { audit_event_id: auditEventId })
  if (refused === undefined) return undefined
  return {
    ...refused,
    kind: 'refused',
    operation_id: `${refused.rail}-controlled-pilot-run`,
    subject: refused.activation_id,
    passed: false,
    checks: refused.chain.map(({ step, ok, detail }) => ({ check: step, ok, detail })),
    at: refused.begun_at,
  }
}

export const findProductionWrite = (tx: Tx, auditEventId: string) =>
  findRow(tx, 'production_writes', { audit_event_id: auditEventId })

/** How a task was started: by a tool of MCP or by the path itself; null where no write of an agent started it. */
export async function findStart(tx: Tx, taskId: string): Promise<'mcp' | 'http' | null> {
  const row = await tx
    .selectFrom('production_writes')
    .select('tool')
    .where('subject', '=', taskId)
    .where('customer_account', 'is not', null)
    .executeTakeFirst()
  if (row === undefined) return null
  return row.tool === null ? 'http' : 'mcp'
}

export type WriteCounts = { written: number; validated: number; refused: number }

const writes = 'select from production_writes where operation_id = o and'

/** By operation: writes that passed, and validations that passed and that did not, each up to `COUNTED_MAX`. */
export async function countProductionWrites(
  tx: Tx,
  operations: readonly string[],
): Promise<Map<string, WriteCounts>> {
  const { rows } = await sql<WriteCounts & { operation_id: string }>`
    select o as operation_id, ${upTo(`${writes} kind = 'written'`)} as written,
      ${upTo(`${writes} kind = 'validated' and passed`)} as validated,
      ${upTo(`${writes} kind = 'validated' and not passed`)} as refused
    from unnest(${[...operations]}::text[]) o`.execute(tx)
  return new Map(rows.map(({ operation_id, ...counts }) => [operation_id, counts]))
}

/** The digest of the payload under which an agent validated a key of an operation, or made the call. */
export async function findUseOfKey(
  tx: Tx,
  { caller, operation, key }: { caller: string; operation: string; key: string },
): Promise<{ payload_sha256: string } | undefined> {
  const row = await tx
    .selectFrom('calls')
    .select('fingerprint')
    .where('caller', '=', caller)
    .where('operation', '=', operation)
    .where('key', '=', key)
    .where('grant_state', '<>', 'released')
    .executeTakeFirst()
  return row && { payload_sha256: row.fingerprint }
}
