/** One call of a wallet or a credential, if it was granted. `assertGranted` uses it up; unused, as by a repeat of a call, it can be put back. */
export type CallerTicket = {
  readonly granted: boolean
  assertGranted(): void
  putBack(): void
  /** What the answer says of the limit. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A free call of an address. */
export type FreeTicket = { readonly granted: boolean; putBack(): void }
