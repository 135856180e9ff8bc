import { z } from 'zod'
import { policyRules } from '../workflows/domain/policy-rules.ts'
import type { AnyOperation } from './operation.ts'

/** What a path offers, printed from the registry, with the live counts of its records (endpoints.md §2, Contract view). */
export type ContractView = {
  path: string
  version: string
  operations: Record<string, unknown>[]
  policy_rules: string[]
  live: Record<string, number>
}

/** Its schema: `counted` says what `live` counts, `more` is what the path tells beside. */
export const contractSchema = <More extends z.ZodRawShape>(counted: string, more: More) =>
  z.strictObject({
    path: z.string(),
    version: z.string(),
    operations: z.array(z.looseObject({})).meta({ description: 'Each with its input and output schema.' }),
    policy_rules: z.array(z.string()),
    live: z.record(z.string(), z.int()).meta({ description: counted }),
    ...more,
  })

export function contractView(
  registry: readonly AnyOperation[],
  path: string,
  live: Record<string, number>,
): ContractView {
  const offered = registry.filter(({ http }) => http.path === path || http.aliases?.includes(path))
  return { path, version: 'v1', operations: offered.map(printed), policy_rules: [...policyRules], live }
}

const printed = ({ id, http, mode, access, needs, price, input, output }: AnyOperation): Record<string, unknown> => ({
  id,
  method: http.method,
  mode: mode ?? null,
  access,
  scopes: needs?.scopes ?? [],
  price: price === null ? null : String(price),
  input_schema: z.toJSONSchema(input, { io: 'input' }),
  output_schema: z.toJSONSchema(output, { io: 'output' }),
})
