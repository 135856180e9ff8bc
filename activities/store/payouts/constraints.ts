import { sql } from 'kysely'
import { pauseOf } from '../operators/controls.ts'
import { unchargedOf } from '../payments/payments.ts'
import type { Tx } from '../postgres/db.ts'
import { prepared } from '../postgres/prepared.ts'
import { revokedMandateOf } from './mandates.ts'
import type { PayoutRow } from './payouts.ts'
import { dailyUseOf } from './transfers.ts'

/** Atomic units in use, and the milliseconds until some of them become free. */
export type DailyUse = { atomic: bigint; freesInMs: number | null }

/**
 * What decides, next to the payout's own row, whether it may be reserved now. The clock is that of Postgres in Unix
 * seconds.
 */
export type PayoutConstraints = {
  now: number
  unsettled: boolean
  pause: string | undefined
  /** Whether the mandate that authorized it is revoked. */
  revoked: boolean
  use: DailyUse
}

type Accounts = Pick<PayoutRow, 'creator' | 'payout_wallet'>

/**
 * Reads the constraints in one statement. The accounts are those of the stored payout unless the caller gives them.
 * Pause and use are exact only after `lockDailyCap`, and `revoked` after `lockMandatesOf`.
 */
export async function readPayoutConstraints(
  tx: Tx,
  payoutId: string,
  given?: Accounts,
): Promise<PayoutConstraints> {
  const { creator = null, payout_wallet = null } = given ?? {}
  return constraintsFrom(await selectPayoutConstraints(payoutId, creator, payout_wallet).run(tx))
}

function constraintsFrom([row]: Row[]): PayoutConstraints {
  if (row === undefined) throw new Error('Postgres returned no payout constraints')
  const { now, unsettled, pause, revoked, used, frees_in_ms } = row
  const use = { atomic: BigInt(used), freesInMs: frees_in_ms === null ? null : Number(frees_in_ms) }
  return { now, unsettled, pause: pause ?? undefined, revoked, use }
}

type Row = {
  now: number
  unsettled: boolean
  pause: string | null
  revoked: boolean
  used: string
  frees_in_ms: string | null
}

const selectPayoutConstraints = prepared(
  (tx, payoutId: string, givenCreator: string | null, givenWallet: string | null) => {
    const stored = (column: 'creator' | 'payout_wallet', given: string | null) =>
      sql<string>`coalesce(${given}, (select ${sql.ref(column)} from payouts where payout_id = ${payoutId}))`
    const creator = stored('creator', givenCreator)
    const wallet = stored('payout_wallet', givenWallet)
    return sql<Row>`
    select extract(epoch from clock_timestamp())::float8 as now, exists (${unchargedOf(payoutId)}) as unsettled,
      (${pauseOf(tx, creator, wallet, payoutId)}) as pause,
      exists (${revokedMandateOf(payoutId)}) as revoked, in_use.used, in_use.frees_in_ms
    from (${dailyUseOf(wallet)}) as in_use`
  },
)
