import type { Scope } from '#domain/agents/credential.ts'

/** A JSON object whose members its readers check. */
export type JsonObject = Record<string, unknown>

export type Contact = { email?: string | undefined; callback_url?: string | undefined }

/** What a decision allows an agent. A missing limit is as the agent asked, or none. */
export type TrustLimits = {
  rails?: string[] | undefined
  scopes?: Scope[] | undefined
  max_usd?: number | undefined
  concurrent_runs?: number | undefined
}

export type ProviderRoute = { route_id: string; provider: string; service_id: string }

export type Requester = { name: string; contact: string } | { agent_id: string }
