import { callbackAttemptsMax } from '#domain/callbacks/callback.ts'

/** Requests that a task may send to its callback URL: a proof and a delivery in each attempt. */
export const postsOf = (callbackUrl: string | null | undefined): number =>
  callbackUrl == null ? 0 : 2 * callbackAttemptsMax
