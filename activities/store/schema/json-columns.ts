/** A JSON object whose members its readers check. */
export type JsonObject = Record<string, unknown>

export type Contact = { email?: string | undefined; callback_url?: string | undefined }

export type ProviderRoute = { route_id: string; provider: string; service_id: string }

export type Requester = { name: string; contact: string } | { agent_id: string }
