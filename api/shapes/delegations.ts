import type { SignedAction, SignedGrant } from '#domain/authority/artifacts.ts'
import type { RuleResult } from '#domain/authority/evaluate.ts'
import type { ReceiptView } from '../../activities/keys/receipt-view.ts'

/** An action as a caller asks about it, and the artifacts that are presented with it. */
export type ActionAsked = {
  operation_id: string
  input: Record<string, unknown>
  spend_usd?: number | undefined
  idempotency_key: string
}
export type AuthorityAsked = {
  signed_mandate: Record<string, unknown>
  signed_action_grant?: Record<string, unknown> | undefined
  action: ActionAsked
}
export type GrantAsked = Omit<AuthorityAsked, 'signed_action_grant'> & {
  action: ActionAsked & { expires_in_seconds?: number | undefined }
}
type Remaining = { usd: number; actions: number }
export type DecisionView = {
  decision_id: string
  decision: 'allow' | 'deny'
  reasons: RuleResult[]
  would_spend_usd: number | null
  remaining: Remaining | null
  grant_required: boolean
  receipt: ReceiptView
}
export type GrantView = {
  signed_action_grant: SignedGrant
  grant_id: string
  expires_at: string
  receipt: ReceiptView
}
export type ExecutedView = {
  delegated_action: {
    action_id: string
    operation_id: string
    status: number
    result: Record<string, unknown>
    signed_action: SignedAction
  }
  grant_id: string
  mandate_remaining: Remaining
  receipt: ReceiptView
}
/** What agents may do under mandates and grants. */
export type Delegations<Call> = {
  /** The ids of the operations that can be delegated. */
  readonly operations: readonly string[]
  evaluate(asked: AuthorityAsked, context: Call): Promise<DecisionView>
  issueGrant(asked: GrantAsked, context: Call): Promise<GrantView>
  execute(
    asked: AuthorityAsked & { signed_action_grant: Record<string, unknown> },
    context: Call,
  ): Promise<ExecutedView>
}
