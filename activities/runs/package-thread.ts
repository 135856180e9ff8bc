import { packageTexts } from '#domain/runs/package-files.ts'
import type { ReturnPackage } from '#domain/runs/return-package.ts'
import { verifyRecord } from '#domain/verification/replay-package.ts'
import { verifyPackageView } from '#domain/verification/return-package.ts'
import type { PackageJob, RecordJob, RecordReports } from './package-threads.ts'

// The program of the threads of `openPackageThreads`.

export const verify = ({ view, keys }: PackageJob) => verifyPackageView(view, keys)

export const verifyAll = ({ view, keys, record }: RecordJob): RecordReports => ({
  completion: verifyPackageView(view, keys),
  record: verifyRecord(record, keys),
})

export const texts = (view: ReturnPackage) => packageTexts(view, view.completion_signature)
