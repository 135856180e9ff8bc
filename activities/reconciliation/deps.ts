import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { StatementClaims } from '#domain/receipts/statement.ts'
import type { SeenWorkflow } from '#domain/reconciliation/findings.ts'
import type { Ledger } from '../chain/ledger.ts'
import type { FindOutcome } from '../chain/outcome.ts'
import type { Rail } from '../payouts/deps.ts'
import type { PayoutRecord } from '../store/payouts/payouts.ts'
import type { ReceiptSigner, Signer } from '../store/receipts/receipts.ts'
import type { Database } from '../store/schema/schema.ts'

/** Workflows as Temporal shows them; throws when it does not answer. */
export type WorkflowWatch = {
  /** The status of the last run of this id, and the payout as an open run knows it. */
  see(workflowId: string): Promise<SeenWorkflow>
  /** Ids of payouts and payments with a run that failed or timed out, as far back as Temporal keeps them. */
  failed(): Promise<string[]>
  /** Makes a payout's workflow show what its row says; one that is missing from a transfer under way is left missing. */
  show(record: PayoutRecord): Promise<void>
}

/** What reconciliation reads. The ledger comes from the second opinion where one is configured. */
export type ReconciliationDeps = {
  readonly db: Kysely<Database>
  readonly rail: Pick<Rail, 'asset' | 'payoutWallet' | 'issuer' | 'environment'>
  readonly payTo: `0x${string}`
  readonly ledger: Ledger
  readonly findOutcome: FindOutcome
  readonly watch: WorkflowWatch
  readonly log: Pick<Logger, 'error'>
  readonly signReceipt: ReceiptSigner
  readonly signStatement: Signer<StatementClaims>
  /** How long a difference must last before it opens an exception. */
  readonly settleMs: number
}

const AT_ONCE = 16

/** Compares all items, a few at a time. */
export async function compareEach<Item, Found>(
  items: readonly Item[],
  compare: (item: Item) => Promise<Found[]>,
): Promise<Found[]> {
  const found: Found[] = []
  for (let at = 0; at < items.length; at += AT_ONCE) {
    found.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(compare))).flat())
  }
  return found
}
