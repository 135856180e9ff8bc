import { DomainError, type Refusal, refuse } from '../core/errors.ts'
import type { RailKey } from '../rails/rail.ts'
import { loopSteps } from '../runs/controlled-loop.ts'

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

/** What a scope may name: the steps of the loop, and the rail, which stands for all of them. */
export const scopeOf = (rail: RailKey): string[] => [...loopSteps, rail]

/** Throws 403 `scope_denied` for a scope that names something else, or that does not hold every step that a run takes. */
export function assertScope(rail: RailKey, scope: readonly string[]): void {
  const foreign = scope.filter((tool) => !scopeOf(rail).includes(tool))
  const missing = scope.includes(rail) ? [] : loopSteps.filter((step) => !scope.includes(step))
  if (foreign.length === 0 && missing.length === 0) return
  const detail =
    foreign.length > 0
      ? `not of a ${rail} pilot: ${foreign.join(', ')}`
      : `missing: ${missing.join(', ')}`
  throw refuse('scope_denied', {
    detail,
    next_action: `Name ${rail}, or every step of the loop and nothing else.`,
  })
}
