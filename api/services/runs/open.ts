import type { Adapters } from '../../adapters.ts'
import type { AuthorityServices } from '../authority/open.ts'
import type { CreditServices } from '../credit/open.ts'
import type { InputServices } from '../inputs/open.ts'
import type { ReceiptServices } from '../receipts/open.ts'
import { ClearingService } from './clearings.ts'
import { LoopService } from './loops.ts'
import { ManifestService } from './manifests.ts'
import { ProductLoopService } from './product-loops.ts'
import { RunService } from './runs.ts'
import { SamplePackages } from './sample-packages.ts'
import { SandboxService } from './sandbox.ts'
import { RunStartService } from './start.ts'

export type RunServices = ReturnType<typeof openRuns>

/** Runs: how they are started, followed and cleared, and their samples. */
export function openRuns(
  adapters: Adapters,
  used: AuthorityServices & CreditServices & InputServices & ReceiptServices,
) {
  const { writeGate: gate, quotes, payments, credit, uploadChecks, samples, productLinks } = used
  const deps = { ...adapters, gate, quotes, payments, credit, uploadChecks, samples }
  const samplePackages = new SamplePackages(deps)
  const runStarts = new RunStartService(deps)
  const loops = new LoopService({ ...deps, starts: runStarts })
  return {
    runs: new RunService(deps),
    samplePackages,
    clearings: new ClearingService({ ...deps, samplePackages }),
    runStarts,
    loops,
    productLoops: new ProductLoopService({ ...deps, loops, productLinks }),
    manifests: new ManifestService(deps),
    sandbox: new SandboxService(deps),
  }
}
