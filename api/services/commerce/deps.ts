import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import type { PackageChecks } from '../../../activities/run/package-checks.ts'
import type { ReceiptService } from '../receipts/verification.ts'

/** What commerce proofs and the activity feed need. */
export type CommerceDeps = MoneyDeps & {
  readonly baseUrl: string
  readonly packages: PackageChecks
  readonly receipts: Pick<ReceiptService, 'verify'>
}
