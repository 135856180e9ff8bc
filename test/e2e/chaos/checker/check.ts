import type { Finding, Findings, PayoutConstraints, RunRecord } from '../run-record.ts'
import { checkAnswers } from './check-answers.ts'
import { checkCalls } from './check-calls.ts'
import { checkCap } from './check-cap.ts'
import { checkGasWallets } from './check-gas-wallets.ts'
import { checkLate } from './check-late.ts'
import { checkLedger } from './check-ledger.ts'
import { checkLog } from './check-log.ts'
import { checkMoney } from './check-money.ts'
import { checkPayments } from './check-payments.ts'
import { checkPromises } from './check-promises.ts'
import { checkReceipts } from './check-receipts.ts'
import { checkStates } from './check-states.ts'
import { checkWorkflows } from './check-workflows.ts'
import type { Complaint, Facts, Verdict } from './facts.ts'
import { readChain } from './read-chain.ts'
import { readPostgres } from './read-postgres.ts'
import { readTemporal } from './read-temporal.ts'
import { verifyReceipts } from './verify-receipts.ts'

const checks: readonly Verdict[] = [
  checkMoney,
  checkStates,
  checkReceipts,
  checkLog,
  checkCap,
  checkCalls,
  checkPayments,
  checkLedger,
  checkWorkflows,
  checkLate,
  checkGasWallets,
  checkAnswers,
  checkPromises,
]
/** The three sources are read one after the other; what moves between two reads is gone in the next. */
const READ_AGAIN_MS = 2_000

/**
 * Judges a batch that was healed and drained, by chain, Postgres and Temporal alone. What does not hold for `holdMs`
 * (15 s by default) was only on its way and is no finding.
 */
export async function checkBatch(
  where: PayoutConstraints,
  runs: RunRecord[],
  { holdMs = 15_000 }: { holdMs?: number } = {},
): Promise<Findings> {
  const until = Date.now() + holdMs
  for (;;) {
    const complaints = check(await gather(where, runs))
    if (complaints.length === 0 || Date.now() >= until) return file(complaints, runs)
    await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS))
  }
}

/** Everything that is wrong with these facts. */
export const check = (facts: Facts): Complaint[] => checks.flatMap((verdict) => verdict(facts))

async function gather(where: PayoutConstraints, runs: RunRecord[]): Promise<Facts> {
  const [workflows, rows] = await Promise.all([
    readTemporal(where.temporalAddress),
    readPostgres(where.databaseUrl),
  ])
  const recipients = [...new Set(runs.map(({ recipient }) => recipient))]
  const gasWallets = rows.gasWallets.map(({ address }) => address)
  const chain = await readChain(where, { recipients, gasWallets })
  const receipts = await verifyReceipts(rows.receipts, where.receiptJwks)
  return { where, runs, workflows, chain, store: { ...rows, receipts } }
}

function file(complaints: Complaint[], runs: RunRecord[]): Findings {
  const findings: Findings = { duplicates: [], lost: [], disagreements: [], stuck: [] }
  for (const { as, what, evidence, payoutId, run } of complaints) {
    const owner =
      run ?? (payoutId == null ? undefined : runs.find((one) => one.payoutId === payoutId)?.index)
    findings[as].push({ run: owner ?? null, what, evidence: printable(evidence) } satisfies Finding)
  }
  return findings
}

/** Evidence as JSON can hold it. */
const printable = (evidence: unknown): unknown =>
  JSON.parse(
    JSON.stringify(evidence ?? null, (_, value) =>
      typeof value === 'bigint' ? value.toString() : value,
    ),
  )
