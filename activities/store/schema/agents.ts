import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { KeyState, Scope } from '#domain/agents/credential.ts'
import type { DeliveryStep } from '#domain/agents/onboarding.ts'
import type { TrustState } from '#domain/agents/trust.ts'
import type { Decision, SubjectKind } from '#domain/reviews/review.ts'

type Time = ColumnType<Date, Date | undefined, Date>
type Json<T extends object | null> = JSONColumnType<T, string, string>

export type Contact = { email?: string | undefined; callback_url?: string | undefined }
/** What a decision allows an agent; what is absent is as the agent asked, or without a limit. */
export type TrustLimits = {
  rails?: string[] | undefined
  scopes?: Scope[] | undefined
  max_usd?: number | undefined
  concurrent_runs?: number | undefined
}

type AccountsTable = {
  account_id: string
  name: string
  country: string | null
  owner_agent_id: string
  created_at: Time
}

export type AgentsTable = {
  agent_id: string
  account_id: string
  name: string
  contact: Json<Contact>
  capabilities: Json<string[]>
  rails: Json<string[]>
  protocols: Json<string[]>
  requested_scopes: Json<Scope[]>
  public_key: Json<Record<string, unknown>>
  key_sha256: string
  encryption_key: Json<Record<string, unknown> | null> | null
  sandbox: boolean
  status_token_sha256: string
  registration_call: string | null
  trust_state: TrustState
  trust_since: Time
  decision_id: string | null
  limits: Json<TrustLimits | null> | null
  publish_profile: Generated<boolean>
  created_at: Time
}

export type AgentCredentialsTable = {
  credential_id: string
  agent_id: string
  version: number
  state: KeyState
  secret_sha256: string | null
  scopes: Json<Scope[]>
  rails: Json<string[]>
  overlap_seconds: number
  created_at: Time
  claimed_at: Date | null
  expires_at: Date | null
  retire_at: Date | null
  revoked_at: Date | null
}

export type AgentSigningVersionsTable = {
  agent_id: string
  version: number
  key_id: string
  public_key: Json<Record<string, unknown>>
  key_sha256: string
  state: KeyState
  not_before: Date | null
  retire_at: Date | null
  revoked_at: Date | null
  created_at: Time
}

type CredentialDeliveriesTable = {
  credential_id: string
  ordinal: number
  step: DeliveryStep
  actor: string
  at: Time
}

export type ReviewDecisionsTable = {
  decision_id: string
  seq: Generated<string>
  subject_kind: SubjectKind
  subject_id: string
  waiting_since: Date
  decision: Decision
  note: string
  limits: Json<Record<string, unknown> | null> | null
  evidence_seen_sha256: Json<string[]>
  operator_id: string
  operator_name: string
  receipt_id: string
  decided_at: Date
}

type FailedAttemptsTable = { subject: string; failures: number; window_ends_at: Date }

type CredentialAuditsTable = {
  audit_event_id: string
  operation_id: string
  credential_id: string | null
  decision: 'allow' | 'deny'
  reasons: Json<string[]>
  at: Time
}

/** The tables of migration 0006. */
export type AgentTables = {
  accounts: AccountsTable
  agents: AgentsTable
  agent_credentials: AgentCredentialsTable
  agent_signing_versions: AgentSigningVersionsTable
  credential_deliveries: CredentialDeliveriesTable
  review_decisions: ReviewDecisionsTable
  failed_attempts: FailedAttemptsTable
  credential_audits: CredentialAuditsTable
}
