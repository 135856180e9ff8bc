import { verifyPackageView } from '#domain/verification/return-package.ts'
import type { PackageJob } from './package-checks.ts'

/** The program of the threads of `openPackageChecks`. */
export const verify = ({ view, keys }: PackageJob) => verifyPackageView(view, keys)
