/** A JSON object whose reader checks its members. */
export type JsonObject = Record<string, unknown>

export type Contact = { email?: string | undefined; callback_url?: string | undefined }

export type ProviderRoute = { route_id: string; provider: string; service_id: string }

export type Requester = { name: string; contact: string } | { agent_id: string }
