import type { Difference } from '#domain/core/difference.ts'
import { limits } from '#domain/core/limits.ts'
import { compareGasWallet, peakUse } from '#domain/reconciliation/reconciliation.ts'
import { listGasWallets, readGasWallet } from '../store/reconciliation/findings.ts'
import { oldestChange } from '../store/reconciliation/reconciliations.ts'
import { listSpent } from '../store/reconciliation/statements.ts'
import { listSeen } from '../store/tasks/exceptions.ts'
import { compareEach, type ReconciliationDeps } from './deps.ts'

/** Block times and Postgres' clock may differ by this much before it is a difference. */
const CLOCK_SKEW_SECONDS = 5

/** Recomputes the daily cap from block times, and compares the gas wallets' nonces with the chain. */
export async function checkWallets(
  deps: ReconciliationDeps,
  changedSince: string | null,
): Promise<Difference[]> {
  const gasWallets = await compareEach(await listGasWallets(deps.db), async (wallet) => {
    const chainNonce = await deps.ledger.transactionCount(wallet as `0x${string}`)
    return compareGasWallet(await readGasWallet(deps.db, wallet, chainNonce))
  })
  return [...(await checkCap(deps, changedSince)), ...gasWallets]
}

/** Only a day that holds a changed transfer can have become one over the cap; one that was over it is added up again. */
async function checkCap(
  { db, rail }: ReconciliationDeps,
  changedSince: string | null,
): Promise<Difference[]> {
  const known = (await listSeen(db, 'wallets')).some(({ subject }) => subject === rail.payoutWallet)
  const oldest = await oldestChange(db, known ? null : changedSince)
  if (oldest === null) return []
  const spent = await listSpent(db, rail.payoutWallet, oldest - limits.dailyWindowSeconds)
  const peak = peakUse(spent, limits.dailyWindowSeconds - CLOCK_SKEW_SECONDS)
  if (peak.atomic <= limits.dailyCapAtomic) return []
  const found = {
    sum_atomic: peak.atomic.toString(),
    first_block_time: peak.from,
    last_block_time: peak.to,
  }
  const stored = { daily_cap_atomic: limits.dailyCapAtomic.toString() }
  return [{ code: 'daily_cap_exceeded', subject: rail.payoutWallet, evidence: { stored, found } }]
}
