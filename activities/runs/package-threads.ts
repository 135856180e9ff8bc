import { Tinypool } from 'tinypool'
import type { KeySet } from '#domain/receipts/key-set.ts'
import { packageTexts } from '#domain/runs/package-files.ts'
import type { ReplayPackage } from '#domain/runs/replay-package.ts'
import type { ReturnPackage } from '#domain/runs/return-package.ts'
import type { Report } from '#domain/verification/report.ts'
import { verifyPackageView } from '#domain/verification/return-package.ts'
import { builtProgram } from '../config/package-root.ts'

export type PackageJob = { readonly view: ReturnPackage; readonly keys: KeySet }
export type RecordJob = PackageJob & { readonly record: ReplayPackage }
export type RecordReports = { completion: Report; record: Report }
export type PackageThreads = {
  verify(job: PackageJob): Promise<Report>
  /** Verifies a package and the record of its task. */
  verifyAll(job: RecordJob): Promise<RecordReports>
  /** Every file of a package, its report among them, by name. */
  texts(view: ReturnPackage): Promise<Record<string, string>>
  close(): Promise<void>
}

/** Verifying or writing so many bytes takes a few milliseconds. */
const SMALL_BYTES = 256 * 1024
const THREADS = 2
const IDLE_MS = 30_000

/** Verifies and writes return packages, large ones in a thread: they would hold up every other call of this process. */
export function openPackageThreads(): PackageThreads {
  const pool = new Tinypool({
    runtime: 'worker_threads',
    filename: builtProgram('activities/runs/package-thread.js'),
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
  })
  return {
    verify: async (job) =>
      isSmall(job.view) ? verifyPackageView(job.view, job.keys) : pool.run(job, { name: 'verify' }),
    verifyAll: (job) => pool.run(job, { name: 'verifyAll' }),
    texts: async (view) =>
      isSmall(view)
        ? packageTexts(view, view.completion_signature)
        : pool.run(view, { name: 'texts' }),
    close: () => pool.destroy(),
  }
}

const isSmall = ({ files }: ReturnPackage): boolean =>
  files.reduce((sum, { bytes }) => sum + bytes, 0) <= SMALL_BYTES
