import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { PaymentMethod } from '#domain/core/payment-methods.ts'
import { namedMethods } from '#domain/payments/payment-reference.ts'
import { notifyChanged } from '../postgres/changes.ts'
import type { Tx } from '../postgres/db.ts'
import { changeRow, countOf, findRow, insertNew, lockRow, now } from '../postgres/rows.ts'
import { amountOf, type WaitingFilter, waitingAs } from '../reviews/waiting-filter.ts'
import type { Database } from '../schema/schema.ts'

export type ReferenceRow = Selectable<Database['payment_references']>
export type NewReference = Omit<
  Insertable<Database['payment_references']>,
  | 'state'
  | 'reason'
  | 'reason_code'
  | 'decided_by'
  | 'settlement_receipt_id'
  | 'refunds_failed'
  | 'checked_at'
  | 'created_at'
  | 'changed_at'
>

export const findReference = (tx: Tx, referenceId: string) =>
  findRow(tx, 'payment_references', { payment_reference_id: referenceId })

/** The latest reference of an agent under one of its names: its id, or what the payer or provider calls it. */
export async function findOwnReference(
  tx: Tx,
  agentId: string,
  name: string,
): Promise<ReferenceRow | undefined> {
  return tx
    .selectFrom('payment_references')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where(({ or, eb }) =>
      or([eb('payment_reference_id', '=', name), eb('external_reference', '=', name)]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('payment_reference_id')
    .limit(1)
    .executeTakeFirst()
}

/** The row, locked for the rest of the transaction. */
export const lockReference = (tx: Tx, referenceId: string) =>
  lockRow(tx, 'payment_references', { payment_reference_id: referenceId })

const notOver = ['presented', 'pending', 'verified', 'disputed', 'refunded'] as const

/** The reference under which this payment was presented, unless it was rejected or expired. */
export async function findPresented(
  tx: Tx,
  by:
    | { method: PaymentMethod; external_reference: string; wallet_id?: string }
    | { challenge_id: string },
): Promise<ReferenceRow | undefined> {
  const query = tx.selectFrom('payment_references').selectAll().where('state', 'in', notOver)
  if ('challenge_id' in by)
    return query.where('challenge_id', '=', by.challenge_id).executeTakeFirst()
  const { method, external_reference, wallet_id } = by
  return query
    .where('method', '=', method)
    .where('external_reference', '=', external_reference)
    .$if(wallet_id !== undefined, (some) => some.where('wallet_id', '=', wallet_id ?? ''))
    .executeTakeFirst()
}

/**
 * The references that a provider calls by these names, or that pay these challenges and that it confirms: those of the challenges
 * first, then those that were confirmed. References of other providers are left out.
 */
export async function listSpokenOf(
  tx: Tx,
  {
    provider,
    references,
    challenges,
  }: { provider: string; references: string[]; challenges: string[] },
  most: number,
): Promise<ReferenceRow[]> {
  const { rows } = await sql<ReferenceRow>`
    select r.* from payment_references r
    where r.state = any(${[...notOver]}) and r.method = any(${[...namedMethods]})
      and (r.provider is null or r.provider = ${provider})
      and (r.external_reference = any(${references}) or r.challenge_id = any(${challenges}))
    order by r.challenge_id = any(${challenges}) desc nulls last, r.settlement_receipt_id is null,
      r.created_at, r.payment_reference_id
    limit ${most}`.execute(tx)
  return rows
}

/** Serialises the confirmations of one name until the transaction ends. */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`payment:${name}`}, 0))`.execute(tx)
}

/** What is presented under a name of a payment and not over, those that were confirmed first. */
export async function listNamed(tx: Tx, name: string, most: number): Promise<ReferenceRow[]> {
  return tx
    .selectFrom('payment_references')
    .selectAll()
    .where('external_reference', '=', name)
    .where('method', 'in', namedMethods)
    .where('state', 'in', notOver)
    .orderBy(sql`state in ('verified','disputed')`, 'desc')
    .orderBy('created_at')
    .orderBy('payment_reference_id')
    .limit(most)
    .execute()
}

/** How many payments an agent named that wait, and how many that were rejected within a day. */
export async function countNamedBy(
  tx: Tx,
  agentId: string,
): Promise<{ waiting: number; rejected: number }> {
  const { rows } = await sql<{ waiting: number; rejected: number }>`
    select count(*) filter (where state in ('presented','pending'))::int as waiting,
      count(*) filter (where state = 'rejected' and created_at > clock_timestamp() - interval '1 day')::int as rejected
    from payment_references where agent_id = ${agentId} and method = any(${[...namedMethods]})`.execute(
    tx,
  )
  return rows[0] ?? { waiting: 0, rejected: 0 }
}

/** From now on, only this provider can confirm or dispute the reference. */
export async function bindProvider(tx: Tx, referenceId: string, provider: string): Promise<void> {
  await tx
    .updateTable('payment_references')
    .set({ provider })
    .where('payment_reference_id', '=', referenceId)
    .where('provider', 'is', null)
    .execute()
}

/** The part of a wallet's balance that came from payments in dispute, in whole USD. */
export async function disputedIn(tx: Tx, walletId: string): Promise<number> {
  const { usd } = await tx
    .selectFrom('payment_references')
    .select(sql<number>`coalesce(sum(amount_usd), 0)::int`.as('usd'))
    .where('wallet_id', '=', walletId)
    .where('state', '=', 'disputed')
    .executeTakeFirstOrThrow()
  return usd
}

/** The reference that funds an entitlement or may still fund it. */
export const findLiveOf = (tx: Tx, entitlementId: string) =>
  findRow(tx, 'payment_references', { entitlement_id: entitlementId, state: notOver })

/** With `state`, all references in that state, waiting or not. */
export type ReferenceFilter = WaitingFilter & {
  subjectId?: string | undefined
  state?: string | undefined
  rail?: string | undefined
}

const awaiting = (tx: Tx, { subjectId, state, rail, ...waits }: ReferenceFilter) => {
  const since = `payment_references.${state === 'verified' ? 'changed_at' : 'created_at'}`
  let query = tx
    .selectFrom('payment_references')
    .leftJoin('entitlements', 'entitlements.entitlement_id', 'payment_references.entitlement_id')
    .where(({ or, eb }) =>
      or([
        eb('method', 'in', ['payment_reference', 'invoice_reference']),
        eb('reason_code', 'is not', null),
      ]),
    )
    .where(waitingAs(waits, { since, amount: amountOf('payment_references.amount_usd') }))
  query =
    state === undefined
      ? query.where('payment_references.state', 'in', ['presented', 'pending'])
      : query.where(sql<boolean>`payment_references.state = ${state}`)
  if (subjectId !== undefined) query = query.where('payment_reference_id', '=', subjectId)
  return rail === undefined ? query : query.where(sql<boolean>`entitlements.rail = ${rail}`)
}

/** References that wait for an operator's decision, longest waiting first. */
export async function listAwaiting(
  tx: Tx,
  filter: ReferenceFilter,
  most: number,
): Promise<(ReferenceRow & { rail: string | null })[]> {
  return awaiting(tx, filter)
    .selectAll('payment_references')
    .select('entitlements.rail')
    .orderBy('payment_references.created_at')
    .limit(most)
    .execute()
}

export async function countAwaiting(tx: Tx, filter: ReferenceFilter): Promise<number> {
  return countOf(awaiting(tx, filter))
}

/**
 * Stores a reference as presented. Returns undefined if this payment, or another one for the challenge, was stored
 * before.
 */
export const insertReference = (tx: Tx, reference: NewReference) =>
  insertNew(tx, 'payment_references', { ...reference, state: 'presented' })

/** Updates a locked reference; a new reason without a code removes the code of the earlier reason. */
export async function updateReference(
  tx: Tx,
  referenceId: string,
  change: Pick<
    Updateable<Database['payment_references']>,
    | 'state'
    | 'reason'
    | 'reason_code'
    | 'decided_by'
    | 'settlement_receipt_id'
    | 'is_only_checked'
    | 'refunds_failed'
  >,
): Promise<ReferenceRow> {
  const reason_code = change.reason === undefined ? undefined : (change.reason_code ?? null)
  const set = { ...change, reason_code, checked_at: now, changed_at: now }
  const row = await changeRow(tx, 'payment_references', { payment_reference_id: referenceId }, set)
  await notifyChanged(tx, referenceId)
  return row
}

/**
 * References that were never checked, and those that only a check can decide and that were not checked for `idleMs`;
 * longest waiting first. Providers and operators decide the others by their own events.
 */
export async function listDueReferences(tx: Tx, idleMs: number, most: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('payment_references')
    .select('payment_reference_id')
    .where(({ or, and, eb }) =>
      or([
        eb('state', '=', 'presented'),
        and([
          eb('state', '=', 'pending'),
          eb('method', 'in', ['stablecoin_reference', 'x402_reference', 'ap2_mandate_reference']),
        ]),
      ]),
    )
    .where(
      sql<boolean>`coalesce(checked_at, created_at) < clock_timestamp() - ${idleMs} * interval '1 millisecond'`,
    )
    .orderBy(sql`coalesce(checked_at, created_at)`)
    .limit(most)
    .execute()
  return rows.map((row) => row.payment_reference_id)
}
