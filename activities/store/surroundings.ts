import { sql } from 'kysely'
import { pauseOf } from './controls.ts'
import type { Tx } from './db.ts'
import { fixed } from './fixed.ts'
import { unchargedOf } from './payments.ts'
import type { PayoutRow } from './payouts.ts'
import { send, type Text } from './pipeline.ts'
import { dailyUseOf } from './transfers.ts'

/** Atomic units in use, and milliseconds until some of them are free. */
export type DailyUse = { atomic: bigint; freesInMs: number | null }

/** What decides whether a payout may be reserved now, beside its own row: Postgres' clock in Unix seconds, and who or what stands in the way. */
export type Surroundings = { now: number; unsettled: boolean; pause: string | undefined; use: DailyUse }

/** Reads them at once; of pause and use exact only after `lockDailyCap`. */
export async function readSurroundings(
  tx: Tx,
  { payout_id, creator, payout_wallet }: Pick<PayoutRow, 'payout_id' | 'creator' | 'payout_wallet'>,
): Promise<Surroundings> {
  return surroundingsIn(await send(tx, selectSurroundings(payout_id, creator, payout_wallet)))
}

/** The same for a payout that is stored, before its row was read. */
export async function readSurroundingsOf(tx: Tx, payoutId: string): Promise<Surroundings> {
  return surroundingsIn(await send(tx, selectSurroundingsOf(payoutId)))
}

function surroundingsIn([row]: Row[]): Surroundings {
  if (row === undefined) throw new Error('Postgres told nothing of a payout that is asked for')
  const { now, unsettled, pause, used, frees_in_ms } = row
  const use = { atomic: BigInt(used), freesInMs: frees_in_ms === null ? null : Number(frees_in_ms) }
  return { now, unsettled, pause: pause ?? undefined, use }
}

type Row = { now: number; unsettled: boolean; pause: string | null; used: string; frees_in_ms: string | null }

const surroundings = (tx: Tx, payoutId: string, creator: Text, wallet: Text) => sql<Row>`
    select extract(epoch from clock_timestamp())::float8 as now, exists (${unchargedOf(payoutId)}) as unsettled,
      (${pauseOf(tx, creator, wallet, payoutId)}) as pause, in_use.used, in_use.frees_in_ms
    from (${dailyUseOf(wallet)}) as in_use`

const selectSurroundings = fixed(surroundings)
const selectSurroundingsOf = fixed((tx, payoutId: string) => {
  const stored = (column: 'creator' | 'payout_wallet') =>
    sql<string>`(select ${sql.ref(column)} from payouts where payout_id = ${payoutId})`
  return surroundings(tx, payoutId, stored('creator'), stored('payout_wallet'))
})
