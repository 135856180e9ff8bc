import { Tinypool } from 'tinypool'
import type { ReplayPackage } from '#domain/runs/replay-package.ts'
import type { ReturnPackage } from '#domain/runs/return-package.ts'
import type { Report } from '#domain/verification/report.ts'
import { verifyPackageView } from '#domain/verification/return-package.ts'
import type { KeySet } from '#domain/verification/signed.ts'
import { builtProgram } from '../config/package-root.ts'

export type PackageJob = { readonly view: ReturnPackage; readonly keys: KeySet }
export type RecordJob = PackageJob & { readonly record: ReplayPackage }
export type RecordReports = { completion: Report; record: Report }
export type PackageChecks = {
  verify(job: PackageJob): Promise<Report>
  /** Verifies a package and the record of its task. */
  verifyAll(job: RecordJob): Promise<RecordReports>
  close(): Promise<void>
}

/** Verifying so many bytes takes a few milliseconds. */
const SMALL_BYTES = 256 * 1024
const THREADS = 2
const IDLE_MS = 30_000

/** Verifies return packages, large ones in a thread: they would hold up every other call of this process. */
export function openPackageChecks(): PackageChecks {
  const pool = new Tinypool({
    runtime: 'worker_threads',
    filename: builtProgram('activities/run/package-thread.js'),
    name: 'verify',
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
  })
  return {
    verify: async (job) => {
      const bytes = job.view.files.reduce((sum, file) => sum + file.bytes, 0)
      return bytes <= SMALL_BYTES ? verifyPackageView(job.view, job.keys) : pool.run(job)
    },
    verifyAll: (job) => pool.run(job, { name: 'verifyAll' }),
    close: () => pool.destroy(),
  }
}
