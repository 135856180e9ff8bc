import { verifyRecord } from '#domain/verification/replay-package.ts'
import { verifyPackageView } from '#domain/verification/return-package.ts'
import type { PackageJob, RecordJob, RecordReports } from './package-checks.ts'

// The program of the threads of `openPackageChecks`.

export const verify = ({ view, keys }: PackageJob) => verifyPackageView(view, keys)

export const verifyAll = ({ view, keys, record }: RecordJob): RecordReports => ({
  completion: verifyPackageView(view, keys),
  record: verifyRecord(record, keys),
})
