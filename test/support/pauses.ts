import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { ControlScope } from '#domain/payouts/controls.ts'
import { writeControl } from '../../activities/store/operators/controls.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** Sets a switch as an operator does, without a signature. */
export async function setPause(
  tx: Tx,
  scope: ControlScope,
  target: string,
  paused: boolean,
): Promise<void> {
  const receipt_id = `rc_${hex(32)}`
  const receipt = {
    subject: receipt_id,
    seq: 0,
    kind: 'control_change',
    jws: 'j',
    kid: 'k',
    payload_sha256: 'p',
  }
  await tx
    .insertInto('receipts')
    .values({ receipt_id, ...receipt, prev: null })
    .execute()
  const who = { operator_id: 'o', operator_name: 'night shift' }
  const act = {
    change_id: `ctl_${hex(32)}`,
    scope,
    target,
    paused,
    reason: `${scope} ${paused}`,
    changed_at: new Date(),
  }
  await writeControl(tx, { ...act, ...who, receipt_id })
}

/** How many sessions wait for a lock that is held by name. */
export async function waiting(db: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export async function until(right: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000
  while (!(await right())) {
    if (Date.now() > end) throw new Error('no session waits')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
