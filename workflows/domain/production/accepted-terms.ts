import { digestOf } from '../core/canonical-json.ts'
import { dataPolicy, declaredTerm } from '../tasks/data-declaration.ts'

/**
 * What the agent of a workflow accepts for the runs of its firings; the contract of each run has the same terms. `model` is the one
 * that drafts for them, null where none does.
 */
export function firingTerms(model: string | null) {
  const terms = {
    version: 'firing-terms-v1' as const,
    contract: 'The contract that is prepared for each run of the workflow is accepted as it is.',
    data_policy: dataPolicy(model),
    data_declaration: declaredTerm,
  }
  return { terms, terms_sha256: digestOf(terms) }
}
export type FiringTerms = ReturnType<typeof firingTerms>['terms']
