import type { Tx } from '../postgres/db.ts'
import { prepared } from '../postgres/prepared.ts'

const selectCosigned = prepared((tx, witness: string) =>
  tx
    .selectFrom('log_cosignatures')
    .select('size')
    .where('witness', '=', witness)
    .orderBy('size', 'desc')
    .limit(1),
)

/** The size of the largest checkpoint that has a cosignature of this witness; 0 without one. */
export async function findCosignedSize(tx: Tx, witness: string): Promise<number> {
  const [row] = await selectCosigned(witness).run(tx)
  return Number(row?.size ?? 0)
}
