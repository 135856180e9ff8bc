import type { Finding, Findings, RunRecord, Surroundings } from '../run-record.ts'
import type { Complaint, Facts, Judgement } from './facts.ts'
import { judgeAnswers } from './judge-answers.ts'
import { judgeCalls } from './judge-calls.ts'
import { judgeCap } from './judge-cap.ts'
import { judgeLane } from './judge-lane.ts'
import { judgeLedger } from './judge-ledger.ts'
import { judgeMoney } from './judge-money.ts'
import { judgePayments } from './judge-payments.ts'
import { judgePromises } from './judge-promises.ts'
import { judgeReceipts } from './judge-receipts.ts'
import { judgeStates } from './judge-states.ts'
import { judgeWorkflows } from './judge-workflows.ts'
import { readChain } from './read-chain.ts'
import { readPostgres } from './read-postgres.ts'
import { readTemporal } from './read-temporal.ts'
import { verifyReceipts } from './verify-receipts.ts'

const judgements: readonly Judgement[] = [
  judgeMoney,
  judgeStates,
  judgeReceipts,
  judgeCap,
  judgeCalls,
  judgePayments,
  judgeLedger,
  judgeWorkflows,
  judgeLane,
  judgeAnswers,
  judgePromises,
]
/** The three sources are read one after the other; what moves between two reads is gone in the next. */
const READ_AGAIN_MS = 2_000

/**
 * Judges a batch that was healed and drained, by chain, Postgres and Temporal alone. What does not hold for `holdMs`
 * (15 s unless told otherwise) was only on its way and is no finding.
 */
export async function checkBatch(
  where: Surroundings,
  runs: RunRecord[],
  { holdMs = 15_000 }: { holdMs?: number } = {},
): Promise<Findings> {
  const until = Date.now() + holdMs
  for (;;) {
    const complaints = judge(await gather(where, runs))
    if (complaints.length === 0 || Date.now() >= until) return file(complaints, runs)
    await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS))
  }
}

/** Everything that is wrong with these facts. */
export const judge = (facts: Facts): Complaint[] => judgements.flatMap((judgement) => judgement(facts))

async function gather(where: Surroundings, runs: RunRecord[]): Promise<Facts> {
  const [workflows, rows] = await Promise.all([readTemporal(where.temporalAddress), readPostgres(where.databaseUrl)])
  const recipients = [...new Set(runs.map(({ recipient }) => recipient))]
  const gasWallets = rows.gasWallets.map(({ address }) => address)
  const chain = await readChain(where, { recipients, gasWallets })
  const receipts = await verifyReceipts(rows.receipts, where.receiptJwks)
  return { where, runs, workflows, chain, store: { ...rows, receipts } }
}

function file(complaints: Complaint[], runs: RunRecord[]): Findings {
  const findings: Findings = { duplicates: [], lost: [], disagreements: [], stuck: [] }
  for (const { as, what, evidence, payoutId, run } of complaints) {
    const owner = run ?? (payoutId == null ? undefined : runs.find((one) => one.payoutId === payoutId)?.index)
    findings[as].push({ run: owner ?? null, what, evidence: printable(evidence) } satisfies Finding)
  }
  return findings
}

/** Evidence as JSON can hold it. */
const printable = (evidence: unknown): unknown =>
  JSON.parse(JSON.stringify(evidence ?? null, (_, value) => (typeof value === 'bigint' ? value.toString() : value)))
