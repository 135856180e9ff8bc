import {
  findServices,
  inspectService,
  requestServiceUse,
  resolverRead,
  runService,
} from './resolver.ts'
import { serviceScoutRead, serviceScoutRun } from './scout.ts'

/** Finding, inspecting, requesting and running services. */
export const resolver = [
  resolverRead,
  findServices,
  inspectService,
  requestServiceUse,
  runService,
  serviceScoutRead,
  serviceScoutRun,
] as const
