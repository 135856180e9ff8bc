import { z } from 'zod'
import { contractSets } from '../core/contract-sets.ts'
import { runUsages } from '../core/usage.ts'
import { railKeys, tiers } from '../rails/rail.ts'

const Digest = z.string().regex(/^[0-9a-f]{64}$/)
const id = z.string()

/** What a run is bound to once credit, input and review are complete; the ledger entry `enqueued` has its digest. */
export const RunContract = z
  .strictObject({
    contract_id: id.nullable(),
    version: z.literal('v2'),
    task_id: id,
    rail: z.enum(railKeys),
    tier: z.enum(tiers),
    usage: z.enum(runUsages),
    terms_sha256: Digest.nullable(),
    accepted_by: id.nullable(),
    input_sha256: Digest.nullable(),
    review_decision: id.nullable(),
    payment: z.strictObject({ quote_id: id.nullable(), entitlement_id: id.nullable() }),
    result_contract: z.strictObject({
      version: z.literal(contractSets.result_contract),
      split_version: z.literal(contractSets.result_contract_split),
    }),
  })
  .meta({ id: 'RunContract' })
export type RunContract = z.output<typeof RunContract>
