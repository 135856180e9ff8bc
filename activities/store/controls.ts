import type { Tx } from './db.ts'

/** The reason of the first pause that covers this payout (service, payouts, its creator or the payout itself), or undefined. */
export async function findPause(tx: Tx, creator: string, payoutId: string): Promise<string | undefined> {
  const rows = await tx
    .selectFrom('controls')
    .select(['scope', 'target', 'reason'])
    .where('paused', '=', true)
    .where((or) =>
      or.or([
        or('scope', 'in', ['service', 'payouts']),
        or.and([or('scope', '=', 'wallet'), or('target', '=', creator)]),
        or.and([or('scope', '=', 'payout'), or('target', '=', payoutId)]),
      ]),
    )
    .limit(1)
    .execute()
  return rows[0]?.reason
}
