import { type Selectable, sql } from 'kysely'
import type { EntitlementState } from '#domain/credit/credit.ts'
import type { ReasonCode, ReferenceState } from '#domain/payments/payment-reference.ts'
import { withheldFrom } from '../credit/allowance-wallets.ts'
import type { IdPage, Tx } from '../postgres/db.ts'
import { insertRow, now, updateRows } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type TaskCreditRow = Selectable<Database['task_credits']>

/** The reserved or used credit of a task. Undefined if it was released. */
export async function findTaskCredit(tx: Tx, taskId: string): Promise<TaskCreditRow | undefined> {
  return tx
    .selectFrom('task_credits')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('state', '<>', 'released')
    .executeTakeFirst()
}

/** Reserves credit for a task that has none. The caller holds the lock of the entitlement. */
export async function reserveCredit(
  tx: Tx,
  credit: Pick<TaskCreditRow, 'task_id' | 'quote_id' | 'entitlement_id' | 'units'>,
): Promise<void> {
  await insertRow(tx, 'task_credits', { ...credit, state: 'reserved' })
}

/** Moves the credit from `reserved` to `used` with a usage receipt, or to `released` without one. */
export const endReservation = (
  tx: Tx,
  { task_id, quote_id }: Pick<TaskCreditRow, 'task_id' | 'quote_id'>,
  usageReceiptId: string | null,
) =>
  updateRows(
    tx,
    'task_credits',
    { task_id, quote_id, state: 'reserved' },
    {
      state: usageReceiptId === null ? 'released' : 'used',
      usage_receipt_id: usageReceiptId,
      changed_at: now,
    },
  )

/** The tasks with reserved credit of this entitlement. */
export async function listTasksOn(tx: Tx, entitlementId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('task_credits')
    .select('task_id')
    .where('entitlement_id', '=', entitlementId)
    .where('state', '=', 'reserved')
    .orderBy('task_id')
    .execute()
  return rows.map(({ task_id }) => task_id)
}

export type CreditUse = { reservedUnits: number; underWay: number; ended: number }

/** The use of an entitlement by tasks: reserved units, active tasks and finished tasks. `except` is not counted. */
export async function creditUseOf(tx: Tx, entitlementId: string, except = ''): Promise<CreditUse> {
  const { rows } = await sql<CreditUse>`
    select coalesce(sum(units) filter (where state = 'reserved'), 0)::int as "reservedUnits",
      (count(*) filter (where state = 'reserved'))::int as "underWay", (count(*) filter (where state <> 'reserved'))::int as ended
    from task_credits where entitlement_id = ${entitlementId} and task_id <> ${except}`.execute(tx)
  return rows[0] ?? { reservedUnits: 0, underWay: 0, ended: 0 }
}

/** A task's credit with all stored data of its payment. The challenge is one that can still be paid. */
export type WholeTaskCredit = {
  quote_id: string
  quote_ends_at: Date
  quote_lives: boolean
  entitlement_id: string
  entitlement_state: EntitlementState
  settlement_receipt_id: string | null
  credit_state: 'reserved' | 'used'
  usage_receipt_id: string | null
  challenge_id: string | null
  challenge_ends_at: Date | null
  reference_state: ReferenceState | null
  reason: string | null
  reason_code: ReasonCode | null
  reversed_before: boolean
}

export async function readTaskCredit(tx: Tx, taskId: string): Promise<WholeTaskCredit | undefined> {
  const { rows } = await sql<WholeTaskCredit>`
    select c.quote_id, q.expires_at as quote_ends_at, q.expires_at > clock_timestamp() as quote_lives,
      c.entitlement_id, e.state as entitlement_state, e.settlement_receipt_id, c.state as credit_state, c.usage_receipt_id,
      h.challenge_id, h.expires_at as challenge_ends_at, r.reason_code,
      case when c.state = 'reserved' and ${withheldFrom} then 'disputed' else r.state end as reference_state,
      case when c.state = 'reserved' and ${withheldFrom} then 'a payment into the wallet that paid was taken back or is disputed'
        else r.reason end as reason,
      exists (select 1 from task_exceptions x where x.task_id = c.task_id and x.code = 'payment_reversed') as reversed_before
    from task_credits c
    join quotes q on q.quote_id = c.quote_id
    join entitlements e on e.entitlement_id = c.entitlement_id
    left join payment_challenges h on h.quote_id = c.quote_id and h.state in ('open','pending') and h.expires_at > clock_timestamp()
    left join payment_references r on r.entitlement_id = c.entitlement_id and r.state not in ('rejected','expired')
    where c.task_id = ${taskId} and c.state <> 'released'`.execute(tx)
  return rows[0]
}

type TaskSelection = { entitlementId: string } | { quoteId: string } | IdPage

function selectedTasks(of: TaskSelection) {
  if ('most' in of) return sql`t.task_id > ${of.after}`
  if ('quoteId' in of) return sql`c.quote_id = ${of.quoteId}`
  return sql`c.entitlement_id = ${of.entitlementId}`
}

/**
 * Tasks whose state is older than the stored state of their payment, so that a signal would advance them. Either
 * those of one entitlement or quote, or a page of all.
 */
export async function listBehindMoney(tx: Tx, of: TaskSelection): Promise<string[]> {
  const { rows } = await sql<{ task_id: string }>`
    select t.task_id from tasks t
    join task_credits c on c.task_id = t.task_id and c.state <> 'released'
    join entitlements e on e.entitlement_id = c.entitlement_id
    join quotes q on q.quote_id = c.quote_id
    where t.state <> 'closed' and ${selectedTasks(of)} and case t.state
      when 'trusted' then e.state = 'funded' or q.expires_at > clock_timestamp()
      when 'quoted' then e.state = 'funded' or exists (select 1 from payment_challenges h
        where h.quote_id = c.quote_id and h.state in ('open','pending') and h.expires_at > clock_timestamp())
      when 'credit_pending' then e.state = 'funded' or exists (select 1 from payment_references r
        where r.entitlement_id = e.entitlement_id and (r.state in ('disputed','refunded') or (r.state = 'pending' and r.reason_code = 'amount_mismatch')))
      when 'exception_open' then e.state = 'funded' and exists (select 1 from task_exceptions x where x.task_id = t.task_id
        and x.closed_at is null and x.code in ('deadline_passed','credit_mismatch') and x.resume_state in ('trusted','quoted','credit_pending'))
      else t.state in ('credit_funded','queued','operating','evidence_partial','result_ready','attested','receipt_issued','callback_pending','callback_delivered')
        and (exists (select 1 from payment_references r where r.entitlement_id = e.entitlement_id and r.state in ('disputed','refunded'))
          or (c.state = 'reserved' and ${withheldFrom}))
        and (c.state = 'reserved' or not exists (select 1 from task_exceptions x where x.task_id = t.task_id and x.code = 'payment_reversed'))
      end
    order by t.task_id limit ${'most' in of ? of.most : 1000}`.execute(tx)
  return rows.map(({ task_id }) => task_id)
}
