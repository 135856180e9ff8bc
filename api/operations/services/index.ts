import { findServices } from './find.ts'
import { inspectService } from './inspect.ts'
import { requestServiceUse } from './request-use.ts'
import { resolverRead } from './resolver-read.ts'
import { runService } from './run.ts'
import { serviceScoutRead } from './scout-read.ts'
import { serviceScoutRun } from './scout-run.ts'

/** Finding, inspecting, requesting and running services. */
export const services = [
  resolverRead,
  findServices,
  inspectService,
  requestServiceUse,
  runService,
  serviceScoutRead,
  serviceScoutRun,
] as const
