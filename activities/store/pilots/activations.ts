import { type Insertable, type Selectable, sql } from 'kysely'
import type { ChainStep } from '#domain/production/activation-chain.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { findRow, insertOnce } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ActivationRow = Selectable<Database['pilot_activations']>
type NewActivation = Omit<
  Insertable<Database['pilot_activations']>,
  'chain' | 'tool_scope' | 'begun_at'
> & { chain: readonly ChainStep[]; tool_scope: readonly string[] }

/** Stores the chain of a controlled pilot with its audit event; a repeat of the same outcome changes nothing. */
export async function insertActivation(tx: Tx, row: NewActivation): Promise<void> {
  const { chain, tool_scope, ...rest } = row
  await insertOnce(tx, 'pilot_activations', {
    ...rest,
    chain: JSON.stringify(chain),
    tool_scope: JSON.stringify(tool_scope),
  })
}

/** The chain that activated a controlled pilot; undefined for a pilot that began otherwise. */
export const findActivation = (tx: Tx, pilotId: string) =>
  findRow(tx, 'pilot_activations', { pilot_id: pilotId })

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
