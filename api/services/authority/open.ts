import type { Adapters } from '../../adapters.ts'
import { Ap2Inspection } from './ap2-inspection.ts'
import { MandateService } from './mandates.ts'
import { type OperationFacts, WriteGate } from './write-gate.ts'

export type AuthorityServices = ReturnType<typeof openAuthority>

/** The authority of agents: mandates, presentations of AP2, and the production write gate over the registry. */
export const openAuthority = (adapters: Adapters, registry: readonly OperationFacts[]) => ({
  mandates: new MandateService({ ...adapters, origin: adapters.baseUrl }),
  ap2: new Ap2Inspection(adapters),
  writeGate: new WriteGate({ ...adapters, registry }),
})
