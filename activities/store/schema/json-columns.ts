/** A JSON object whose reader checks its members. */
export type JsonObject = Record<string, unknown>

export type Contact = { email?: string | undefined; callback_url?: string | undefined }

export type ProviderRoute = { route_id: string; provider: string; service_id: string }

export type Requester = { name: string; contact: string } | { agent_id: string }

/** The last input that the owner of a task declined. */
export type DeclinedInput = { input_sha256: string; reason: string; by: string; at: string }

/** The open mandates of AP2 as they were issued; the hash is that of the open checkout mandate. */
export type Ap2Document = {
  open_checkout_mandate: string
  open_payment_mandate: string
  open_checkout_hash: string
}
