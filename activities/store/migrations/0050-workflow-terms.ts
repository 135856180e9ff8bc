import { customerWorkflowsGuard } from './0048-customer-workflows.ts'
import { digest } from './columns.ts'

/** The terms that agents accepted: of the runs of a workflow, cited by each of its firings, and of a claimed order. */
export const workflowTerms: readonly string[] = [
  `alter table customer_workflows add column accepted_terms json,
    add column terms_sha256 text,
    add check ((accepted_terms is null) = (terms_sha256 is null)),
    add check (terms_sha256 = encode(sha256(convert_to(accepted_terms::text, 'UTF8')), 'hex'))`,
  `alter table workflow_firings add column terms_sha256 text ${digest('terms_sha256')},
    add check (state <> 'started' or terms_sha256 is not null)`,
  `alter table exchange_claims add column terms_sha256 text ${digest('terms_sha256')}`,
  customerWorkflowsGuard(['accepted_terms', 'terms_sha256']),
]
