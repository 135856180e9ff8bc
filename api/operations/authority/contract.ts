import { z } from 'zod'
import { authorityContexts, authorityLimits } from '#domain/authority/artifacts.ts'
import { authorityRules } from '#domain/authority/rules.ts'
import { railKeys } from '#domain/rails/rail.ts'
import type { Context } from '../../context.ts'

const contract = {
  mandate_schema: z.string(),
  grant_schema: z.string(),
  identity: z.strictObject({
    public: z.string(),
    agent: z.string(),
    operator: z.string(),
  }),
  tools: z.array(z.string()).meta({ description: 'The modes of this path.' }),
  rails: z.array(z.enum(railKeys)),
  enforcement: z.strictObject({
    default: z.literal('deny'),
    precedence: z.literal('deny'),
    rules: z.array(z.string()),
    contexts: z.record(z.string(), z.string()),
    limits: z.record(z.string(), z.int()),
  }),
  delegable_operations: z.array(z.string()),
  key: z.looseObject({ alg: z.string(), key_id: z.string().nullable() }),
}

export const AuthorityContract = z.strictObject(contract).meta({ id: 'AuthorityContract' })
export const ControlPlane = z
  .strictObject({
    ...contract,
    live: z.strictObject({
      active_mandates: z.int(),
      revoked_mandates: z.int(),
      grants_last_hour: z.int(),
      paused: z.boolean(),
    }),
  })
  .meta({ id: 'AuthorityControlPlane' })

const modes = [
  'read_control_plane',
  'draft_mandate',
  'issue_mandate',
  'inspect_mandate',
  'issue_action_grant',
  'evaluate_action',
  'execute_delegated_action',
  'revoke_mandate',
]

/** The contract as the registry, the rules and the keys give it. */
export async function contractOf({ discovery, delegations }: Context) {
  const schemas = discovery.schemas.index()
  const urlOf = (file: string) => schemas.find(({ name }) => name === file)?.url ?? ''
  const { alg, key_id } = await discovery.authorityKey()
  return {
    mandate_schema: urlOf('authority-mandate.v1.json'),
    grant_schema: urlOf('action-grant.v1.json'),
    identity: {
      public: 'may draft a mandate',
      agent: 'Authorization: Bearer ag_…: inspects, evaluates and executes under its own mandates',
      operator: 'Authorization: Bearer op_…: issues mandates and grants, and revokes mandates',
    },
    tools: modes,
    rails: [...railKeys],
    enforcement: {
      default: 'deny' as const,
      precedence: 'deny' as const,
      rules: authorityRules.map(({ id }) => id),
      contexts: authorityContexts,
      limits: authorityLimits,
    },
    delegable_operations: [...delegations.operations],
    key: { alg, key_id },
  }
}
