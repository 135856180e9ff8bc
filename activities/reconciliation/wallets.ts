import type { Difference } from '../../workflows/domain/difference.ts'
import { limits } from '../../workflows/domain/limits.ts'
import { compareLane, peakUse } from '../../workflows/domain/reconciliation.ts'
import { listSeen } from '../store/exceptions.ts'
import { listGasWallets, readLane } from '../store/findings.ts'
import { oldestChange } from '../store/reconciliations.ts'
import { listSpent } from '../store/statements.ts'
import { lookAtEach, type ReconciliationDeps } from './deps.ts'

/** payout.md, Clocks: block times and Postgres may differ by as much before anybody is told. */
const CLOCK_SKEW_SECONDS = 5

/** Adds up the daily cap again by the times of the blocks, and holds the gas wallets' nonces against the chain. */
export async function lookAtWallets(deps: ReconciliationDeps, changedSince: string | null): Promise<Difference[]> {
  const lanes = await lookAtEach(await listGasWallets(deps.db), async (wallet) => {
    const chainNonce = await deps.ledger.transactionCount(wallet as `0x${string}`)
    return compareLane(await readLane(deps.db, wallet, chainNonce))
  })
  return [...(await lookAtCap(deps, changedSince)), ...lanes]
}

/** Only a day that holds a changed transfer can have become one over the cap; one that was over it is added up again. */
async function lookAtCap({ db, rail }: ReconciliationDeps, changedSince: string | null): Promise<Difference[]> {
  const known = (await listSeen(db, 'wallets')).some(({ subject }) => subject === rail.payoutWallet)
  const oldest = await oldestChange(db, known ? null : changedSince)
  if (oldest === null) return []
  const spent = await listSpent(db, rail.payoutWallet, oldest - limits.dailyWindowSeconds)
  const peak = peakUse(spent, limits.dailyWindowSeconds - CLOCK_SKEW_SECONDS)
  if (peak.atomic <= limits.dailyCapAtomic) return []
  const found = { sum_atomic: peak.atomic.toString(), first_block_time: peak.from, last_block_time: peak.to }
  const stored = { daily_cap_atomic: limits.dailyCapAtomic.toString() }
  return [{ code: 'daily_cap_exceeded', subject: rail.payoutWallet, evidence: { stored, found } }]
}
