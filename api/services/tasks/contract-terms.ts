import { railOf } from '#domain/rails/index.ts'
import { dataPolicy, declaredTerm } from '#domain/tasks/data-declaration.ts'
import { mayBeDrafted } from '#domain/tasks/drafted.ts'
import type { TaskTerms } from '#domain/tasks/terms.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { liveContract } from '../../../activities/store/tasks/contracts.ts'
import { findDocument } from '../../../activities/store/tasks/tasks.ts'

export type ContractTerms = ReturnType<typeof contractTerms>

type Agreed = {
  taskId: string
  contractId: string
  terms: TaskTerms
  criteria: readonly string[]
  /** An operator reviews each run of the account, also a synthetic one. */
  reviewAll?: boolean
  /** The configured model; null: none. */
  model: string | null
}

/** The terms of a contract before it is paid. They never change: `terms_sha256` is their digest. */
export function contractTerms(agreed: Agreed) {
  const { taskId, contractId, terms, criteria, reviewAll = false, model } = agreed

  const inputs = terms.input_manifest.map(({ name, sha256 }) => `input ${name}, sha256 ${sha256}`)
  return {
    contract_id: contractId,
    version: 'v2' as const,
    task_id: taskId,
    rail: terms.rail,
    tier: terms.tier,
    usage: terms.usage,
    tier_terms: { ...railOf(terms.rail).tiers[terms.tier] },
    scope: [terms.objective, ...inputs],
    acceptance_criteria: [...criteria],
    review_policy:
      terms.usage === 'synthetic' && !reviewAll
        ? ('sandbox_policy' as const)
        : ('operator_review' as const),
    data_policy: dataPolicy(mayBeDrafted(terms) ? model : null),
    data_declaration: declaredTerm,
  }
}

/** The terms of the live contract of a task. */
export async function contractOf(tx: Tx, taskId: string): Promise<ContractTerms | undefined> {
  const contract = await liveContract(tx, taskId)
  return contract && ((await findDocument(tx, taskId, contract.terms_sha256)) as ContractTerms)
}
