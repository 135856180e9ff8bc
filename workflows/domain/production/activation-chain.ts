import { type CredentialFacts, type Scope, scopes } from '../agents/credential.ts'
import { DomainError, type Refusal, refuse } from '../core/errors.ts'
import { type RailKey, railKeys } from '../rails/rail.ts'

/** The steps that activate a controlled pilot, in the documented order. */
export const activationSteps = [
  'request',
  'auth_validation',
  'tool_scope',
  'payload_validation',
  'runtime_write',
  'audit_event',
  'controlled_pilot',
] as const
export type ActivationStep = (typeof activationSteps)[number]
/** A step that was taken, with the record that shows it. */
export type ChainStep = {
  step: ActivationStep
  ok: boolean
  detail: string
  evidence_id: string | null
}
export type Taken = { detail: string; evidence_id: string | null }

/** Takes these steps in their order until one refuses; the refusal is that of the last step in the chain. */
export async function takeSteps<Step extends ActivationStep>(
  steps: readonly Step[],
  take: Readonly<Record<Step, () => Promise<Taken>>>,
): Promise<{ chain: ChainStep[]; refusal: Refusal | null }> {
  const chain: ChainStep[] = []
  for (const step of steps)
    try {
      chain.push({ step, ok: true, ...(await take[step]()) })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return { chain: [...chain, refusedAt(step, error.refusal)], refusal: error.refusal }
    }
  return { chain, refusal: null }
}

export const refusedAt = (step: ActivationStep, { code, detail }: Refusal): ChainStep => ({
  step,
  ok: false,
  detail: `${code}: ${detail}`,
  evidence_id: null,
})

/** What a scope may name: the rail, which is the tool of the pilot, and scopes of access keys. */
export const scopeOf = (rail: RailKey): string[] => [rail, ...scopes]

/** What an access key grants of a scope. */
export type Granted = { rails: RailKey[]; scopes: Scope[] }

/** The part of a scope that rails and access keys name. */
export const grantedOf = (scope: readonly string[]): Granted => ({
  rails: railKeys.filter((rail) => scope.includes(rail)),
  scopes: scopes.filter((one) => scope.includes(one)),
})

/**
 * What the key grants: all of the scope. Throws 403 `scope_denied` for a scope without the rail of the pilot or with another one, and
 * for a rail or scope that the key does not have.
 */
export function grantScope(
  rail: RailKey,
  scope: readonly string[],
  key: Pick<CredentialFacts, 'rails' | 'scopes'>,
): Granted {
  const held: readonly string[] = [...key.rails.filter((one) => one === rail), ...key.scopes]
  const denied = scope.filter((one) => !held.includes(one))
  if (scope.includes(rail) && denied.length === 0) return grantedOf(scope)
  const isOther = railKeys.some((one) => denied.includes(one) && one !== rail)
  const lacking =
    denied.length === 0 ? `missing: ${rail}` : `the key grants no ${denied.join(', ')}`
  throw refuse('scope_denied', {
    detail: isOther ? `a ${rail} pilot takes no other rail than ${rail}` : lacking,
    next_action: `Name ${rail}, and no scope but those of the access key.`,
  })
}
