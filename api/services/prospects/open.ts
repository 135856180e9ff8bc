import type { Adapters } from '../../adapters.ts'
import { RESPONSE_PATH } from '../../shapes/pilots.ts'
import { OutreachService } from './outreach.ts'
import { ProspectService } from './prospects.ts'

/** Prospects, and what operators write to them. */
export const openProspects = (adapters: Adapters) => ({
  prospects: new ProspectService(adapters),
  outreach: new OutreachService({
    ...adapters,
    responseUrl: adapters.baseUrl + RESPONSE_PATH,
  }),
})
