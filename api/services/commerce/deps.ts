import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import type { PackageThreads } from '../../../activities/runs/package-threads.ts'
import type { ReceiptService } from '../receipts/verification.ts'

/** What commerce proofs and the activity feed need. */
export type CommerceDeps = MoneyDeps & {
  readonly baseUrl: string
  readonly packages: PackageThreads
  readonly receipts: Pick<ReceiptService, 'verify'>
}
