import { z } from 'zod'
import { boundSets } from '#domain/core/contract-sets.ts'

/** The schema of a contract view: `counted` describes the counts in `live`, `more` are further members. */
export const contractSchema = <More extends z.ZodRawShape>(counted: string, more: More) =>
  z.strictObject({
    path: z.string(),
    version: z.string(),
    operations: z
      .array(z.looseObject({}))
      .meta({ description: 'Each with its input and output schema.' }),
    policy_rules: z.array(z.string()),
    contract_sets: z.array(z.enum(boundSets)),
    live: z.record(z.string(), z.int()).meta({ description: counted }),
    ...more,
  })
