import { type Insertable, type Selectable, sql } from 'kysely'
import type { ChainStep } from '#domain/production/activation-chain.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

type ActivationRow = Selectable<Database['pilot_activations']>
/** An activation that led to a task. */
export type PilotRow = ActivationRow & { task_id: string; asked_sha256: string }
type NewActivation = Omit<
  Insertable<Database['pilot_activations']>,
  'chain' | 'tool_scope' | 'begun_at'
> & { chain: readonly ChainStep[]; tool_scope: readonly string[] }

/** Stores a chain with its audit event; a repeat of the same outcome changes nothing. */
export async function insertActivation(tx: Tx, row: NewActivation): Promise<void> {
  const { chain, tool_scope, ...rest } = row
  await tx
    .insertInto('pilot_activations')
    .values({ ...rest, chain: JSON.stringify(chain), tool_scope: JSON.stringify(tool_scope) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const pilots = (tx: Tx) =>
  tx.selectFrom('pilot_activations').selectAll().where('task_id', 'is not', null)

export async function findPilotOf(tx: Tx, taskId: string): Promise<PilotRow | undefined> {
  const row = await pilots(tx).where('task_id', '=', taskId).executeTakeFirst()
  return row as PilotRow | undefined
}

export async function findPilot(tx: Tx, activationId: string): Promise<PilotRow | undefined> {
  const row = await pilots(tx).where('activation_id', '=', activationId).executeTakeFirst()
  return row as PilotRow | undefined
}

/** The pilots of a rail, the newest first, with their number. */
export async function listPilots(
  tx: Tx,
  { rail, state }: { rail: RailKey; state?: string | undefined },
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: PilotRow[]; total: number }> {
  const filtered = pilots(tx)
    .where('rail', '=', rail)
    .$if(state !== undefined, (query) =>
      query.where(
        sql<boolean>`exists (select from tasks t where t.task_id = pilot_activations.task_id and t.state = ${state ?? ''})`,
      ),
    )
  const rows = await filtered
    .orderBy('begun_at', 'desc')
    .orderBy('activation_id')
    .offset(offset)
    .limit(limit)
    .execute()
  const { total } = await filtered
    .clearSelect()
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  return { rows: rows as PilotRow[], total }
}

/** Pilots of a rail that are paid and whose order waits for an operator, the longest waiting first. */
export async function listReadyPilots(
  tx: Tx,
  rail: RailKey,
  most: number,
): Promise<(PilotRow & { work_order_id: string })[]> {
  const { rows } = await sql<PilotRow & { work_order_id: string }>`
    select p.*, o.work_order_id from pilot_activations p join work_order_tasks w using (task_id) join work_orders o using (work_order_id)
      join tasks t using (task_id)
    where p.rail = ${rail} and t.state = 'credit_funded' and o.decision is null
    order by p.begun_at, p.activation_id limit ${most}`.execute(tx)
  return rows
}

/** How many chains of a rail are counted at most. */
const CHAINS_COUNTED_MAX = 1_000

/** The last chains of a rail by what became of them. */
export async function countPilotActivations(
  tx: Tx,
  rail: RailKey,
): Promise<Record<string, number>> {
  const { rows } = await sql<{ activated: number; refused: number }>`
    select (count(*) filter (where failed_step is null))::int as activated,
      (count(*) filter (where failed_step is not null))::int as refused
    from (select failed_step from pilot_activations where rail = ${rail}
      order by begun_at desc, activation_id limit ${CHAINS_COUNTED_MAX}) last`.execute(tx)
  return { activated: rows[0]?.activated ?? 0, refused: rows[0]?.refused ?? 0 }
}
