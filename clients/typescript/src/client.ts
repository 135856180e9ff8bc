import {
  type Client,
  type ClientOptions,
  createClient as createPlainClient,
} from '../../../api/http/client.ts'

/** Where a service is: its public host, the host of its operating system for agents, and its `origin` where that is not `baseUrl`. */
export type Hosts = { baseUrl: string; osUrl: string; origin?: string }

const RETRY_FOR_MS = 60_000

/**
 * A client of every operation, typed. It repeats for a minute what is refused as retryable or does not get through;
 * `retryForMs` says otherwise, and 0 makes each call once. Calls without a credential are this client's by a secret of its own.
 */
export function createClient(options: ClientOptions): Client {
  return createPlainClient({
    retryForMs: RETRY_FOR_MS,
    idempotencySecret: crypto.randomUUID(),
    ...options,
  })
}
