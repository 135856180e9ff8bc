import { digestOf } from '../core/canonical-json.ts'
import type { RailKey } from '../rails/rail.ts'
import { dataPolicy, declaredTerm } from '../tasks/data-declaration.ts'
import { mayBeDrafted } from '../tasks/drafted.ts'

/** What the agent of a workflow accepts for the runs of its firings; the contract of each run has the same terms. */
export function firingTerms(rail: RailKey, model: string | null) {
  const terms = {
    version: 'firing-terms-v1' as const,
    contract: 'The contract that is prepared for each run of the workflow is accepted as it is.',
    data_policy: dataPolicy(mayBeDrafted({ rail, usage: 'operational' }) ? model : null),
    data_declaration: declaredTerm,
  }
  return { terms, terms_sha256: digestOf(terms) }
}
export type FiringTerms = ReturnType<typeof firingTerms>['terms']
