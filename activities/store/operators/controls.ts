import { type Selectable, sql } from 'kysely'
import type { ControlScope } from '#domain/payouts/controls.ts'
import type { Tx } from '../postgres/db.ts'
import type { Text } from '../postgres/pipeline.ts'
import { findRow, listRows } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ControlChange = Omit<Selectable<Database['control_changes']>, 'seq'>
export type ActivePause = {
  scope: ControlScope
  target: string
  reason: string
  operator_name: string
  changed_at: Date
}

/**
 * Locks all switches. A change waits for reservations in progress, which hold the same lock shared (`lockDailyCap`),
 * and later reservations wait for the change. So a reservation is committed before the change, or sees it.
 */
export async function lockSwitches(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('switches', 0))`.execute(tx)
}

/**
 * The reason of the first pause that covers this payout. It decides only after `lockDailyCap`, in a later statement.
 */
export const pauseOf = (tx: Tx, creator: Text, payoutWallet: Text, payoutId: string) =>
  tx
    .selectFrom('controls')
    .select('reason')
    .where('paused', '=', true)
    .where((is) =>
      is.or([
        is('scope', 'in', ['service', 'payouts']),
        is.and([is('scope', '=', 'wallet'), is('target', 'in', [creator, payoutWallet])]),
        is.and([is('scope', '=', 'payout'), is('target', '=', payoutId)]),
      ]),
    )
    .limit(1)

/** Stops changes of the switches until the transaction ends. Several transactions may do so at once. */
export async function shareSwitches(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended('switches', 0))`.execute(tx)
}

type Targets = Partial<Record<ControlScope, string | null>>

/** The reason of a pause that covers one of these targets, or undefined. It decides only after `shareSwitches`. */
export async function findPause(tx: Tx, targets: Targets): Promise<string | undefined> {
  const named = Object.entries(targets) as [ControlScope, string | null][]
  const row = await tx
    .selectFrom('controls')
    .select('reason')
    .where('paused', '=', true)
    .where((is) =>
      is.or(
        named.map(([scope, target]) =>
          is.and([is('scope', '=', scope), is('target', '=', target)]),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return row?.reason
}

/** The reason of a pause that covers an allowance wallet, or undefined. It decides only after `shareSwitches`. */
export const findWalletPause = (tx: Tx, walletId: string): Promise<string | undefined> =>
  findPause(tx, { service: '', wallet: walletId })

/** The active pauses and who set them (a failed canary is not an operator); pauses of all callers first. */
export async function listPauses(tx: Tx): Promise<ActivePause[]> {
  return tx
    .selectFrom('controls')
    .leftJoin('operators', 'operators.operator_id', 'controls.operator_id')
    .select(['scope', 'target', 'reason', 'changed_at'])
    .select(({ fn }) => fn.coalesce('operators.name', 'controls.operator_id').as('operator_name'))
    .where('paused', '=', true)
    .orderBy((is) => is('target', '<>', ''))
    .orderBy('changed_at')
    .execute()
}

/** The rails that are paused. */
export async function pausedRails(tx: Tx): Promise<ReadonlySet<string>> {
  const rows = await listRows(tx, 'controls', { scope: 'rail', paused: true }, ['target'])
  return new Set(rows.map(({ target }) => target))
}

/** The latest changes of switches, newest first. */
export async function listControlChanges(tx: Tx, most: number): Promise<ControlChange[]> {
  return tx.selectFrom('control_changes').selectAll().orderBy('seq', 'desc').limit(most).execute()
}

export const findControlChange = (tx: Tx, changeId: string) =>
  findRow(tx, 'control_changes', { change_id: changeId })

/** Sets a switch and appends the change to its history. The caller holds `lockSwitches`. */
export async function writeControl(tx: Tx, change: ControlChange): Promise<void> {
  const row = JSON.stringify(change)
  await sql`select set_control(jsonb_populate_record(null::control_changes, ${row}::jsonb))`.execute(
    tx,
  )
}

/** The number of payouts that could be executed now and that a switch of this scope and target covers. */
export async function countCovered(tx: Tx, scope: ControlScope, target: string): Promise<number> {
  if (scope === 'rail' || scope === 'agent') return 0
  const row = await tx
    .selectFrom('payouts')
    .select(({ fn }) => fn.countAll<string>().as('covered'))
    .where('state', '=', 'authorized')
    .where(sql<boolean>`expires_at > extract(epoch from clock_timestamp())`)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('transfers')
            .select('transfers.payout_id')
            .whereRef('transfers.payout_id', '=', 'payouts.payout_id'),
        ),
      ),
    )
    .$if(scope === 'wallet', (query) =>
      query.where((is) => is.or([is('creator', '=', target), is('payout_wallet', '=', target)])),
    )
    .$if(scope === 'payout', (query) => query.where('payout_id', '=', target))
    .executeTakeFirstOrThrow()
  return Number(row.covered)
}

/** The number of queued tasks of a rail or agent, or of those that wait for a payment from a wallet, that a switch blocks. */
export async function countHeldTasks(tx: Tx, scope: ControlScope, target: string): Promise<number> {
  if (scope === 'rail' || scope === 'agent') {
    const { held } = await tx
      .selectFrom('tasks')
      .select(({ fn }) => fn.countAll<string>().as('held'))
      .where('state', '=', 'queued')
      .where(scope === 'rail' ? 'rail' : 'agent_id', '=', target)
      .executeTakeFirstOrThrow()
    return Number(held)
  }
  if (scope !== 'service' && scope !== 'wallet') return 0
  const row = await tx
    .selectFrom('task_credits')
    .innerJoin('tasks', 'tasks.task_id', 'task_credits.task_id')
    .innerJoin(
      'payment_references',
      'payment_references.entitlement_id',
      'task_credits.entitlement_id',
    )
    .select(({ fn }) => fn.countAll<string>().as('held'))
    .where('task_credits.state', '=', 'reserved')
    .where('tasks.state', '<>', 'closed')
    .where('payment_references.method', '=', 'agent_allowance')
    .where('payment_references.state', 'in', ['presented', 'pending'])
    .$if(scope === 'wallet', (query) => query.where('payment_references.payer', '=', target))
    .executeTakeFirstOrThrow()
  return Number(row.held)
}
