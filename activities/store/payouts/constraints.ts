import { sql } from 'kysely'
import { unchargedOf } from '../payments/payments.ts'
import type { Tx } from '../postgres/db.ts'
import type { Text } from '../postgres/pipeline.ts'
import { prepared } from '../postgres/prepared.ts'
import { pauseOf } from './controls.ts'
import type { PayoutRow } from './payouts.ts'
import { dailyUseOf } from './transfers.ts'

/** Atomic units in use, and milliseconds until some of them are free. */
export type DailyUse = { atomic: bigint; freesInMs: number | null }

/** What decides, next to the payout's own row, whether it may be reserved now. The clock is that of Postgres in Unix seconds. */
export type PayoutConstraints = {
  now: number
  unsettled: boolean
  pause: string | undefined
  use: DailyUse
}

/** Reads them in one statement. Pause and use are exact only after `lockDailyCap`. */
export async function readPayoutConstraints(
  tx: Tx,
  { payout_id, creator, payout_wallet }: Pick<PayoutRow, 'payout_id' | 'creator' | 'payout_wallet'>,
): Promise<PayoutConstraints> {
  return constraintsFrom(
    await selectPayoutConstraints(payout_id, creator, payout_wallet).execute(tx),
  )
}

/** The same for a payout that is stored, before its row was read. */
export async function readStoredPayoutConstraints(
  tx: Tx,
  payoutId: string,
): Promise<PayoutConstraints> {
  return constraintsFrom(await selectStoredPayoutConstraints(payoutId).execute(tx))
}

function constraintsFrom([row]: Row[]): PayoutConstraints {
  if (row === undefined) throw new Error('Postgres returned no payout constraints')
  const { now, unsettled, pause, used, frees_in_ms } = row
  const use = { atomic: BigInt(used), freesInMs: frees_in_ms === null ? null : Number(frees_in_ms) }
  return { now, unsettled, pause: pause ?? undefined, use }
}

type Row = {
  now: number
  unsettled: boolean
  pause: string | null
  used: string
  frees_in_ms: string | null
}

const payoutConstraints = (tx: Tx, payoutId: string, creator: Text, wallet: Text) => sql<Row>`
    select extract(epoch from clock_timestamp())::float8 as now, exists (${unchargedOf(payoutId)}) as unsettled,
      (${pauseOf(tx, creator, wallet, payoutId)}) as pause, in_use.used, in_use.frees_in_ms
    from (${dailyUseOf(wallet)}) as in_use`

const selectPayoutConstraints = prepared(payoutConstraints)
const selectStoredPayoutConstraints = prepared((tx, payoutId: string) => {
  const stored = (column: 'creator' | 'payout_wallet') =>
    sql<string>`(select ${sql.ref(column)} from payouts where payout_id = ${payoutId})`
  return payoutConstraints(tx, payoutId, stored('creator'), stored('payout_wallet'))
})
