import type { Difference } from '#domain/core/difference.ts'
import type { LoggedTransfer } from '#domain/reconciliation/findings.ts'
import { attributed, unexplained } from '#domain/reconciliation/reconciliation.ts'
import {
  explainIncoming,
  explainOutgoing,
  explainReferences,
  listUnreserved,
} from '../store/reconciliation/findings.ts'
import type { ReconciliationDeps } from './deps.ts'

/** Finds money that left the payout wallet, or reached the pay-to address, in these blocks (both included) without a row. */
export async function checkBlocks(
  { db, ledger, rail, payTo }: ReconciliationDeps,
  from: bigint,
  to: bigint,
): Promise<Difference[]> {
  const [outgoing, incoming] = await Promise.all([
    ledger.transfers([rail.payoutWallet], 'out', { from, to }),
    ledger.transfers([payTo], 'in', { from, to }),
  ])
  const nonces = outgoing.flatMap(({ nonce }) => nonce ?? [])
  const each = (of: (log: LoggedTransfer) => string) => [...new Set(incoming.map(of))]
  const hashes = each(({ transactionHash }) => transactionHash)
  const payers = each((log) => log.from)
  const paid = [
    ...(await explainIncoming(db, hashes, payers)),
    ...(await explainReferences(db, payTo, hashes)),
  ]
  const left = unexplained('unexplained_outgoing', outgoing, await explainOutgoing(db, nonces))
  return [
    ...attributed(
      left,
      rail.asset,
      await listUnreserved(
        db,
        outgoing.map(({ to }) => to),
      ),
    ),
    ...unexplained('unexplained_incoming', incoming, paid),
  ]
}
