import { z } from 'zod'
import { policyRules } from '#domain/agents/policy-rules.ts'
import type { ContractView } from '../context.ts'
import type { AnyOperation } from '../operation.ts'

/** Prints the operations of a path from the registry, with the live counts of its records. */
export function contractView(
  registry: readonly AnyOperation[],
  path: string,
  live: Record<string, number>,
): ContractView {
  const offered = registry.filter(({ http }) => http.path === path || http.aliases?.includes(path))
  return {
    path,
    version: 'v1',
    operations: offered.map(printed),
    policy_rules: [...policyRules],
    live,
  }
}

const printed = ({
  id,
  http,
  mode,
  access,
  needs,
  price,
  input,
  output,
}: AnyOperation): Record<string, unknown> => ({
  id,
  method: http.method,
  mode: mode ?? null,
  access,
  scopes: needs?.scopes ?? [],
  price: price === null ? null : String(price),
  input_schema: z.toJSONSchema(input, { io: 'input' }),
  output_schema: z.toJSONSchema(output, { io: 'output' }),
})
