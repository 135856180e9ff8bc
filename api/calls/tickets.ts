/** One call of a wallet or a credential, if it was granted. `assertGranted` uses it up; unused, as by a repeat of a call, it can be put back. */
export type CallerTicket = {
  readonly granted: boolean
  assertGranted(): void
  putBack(): void
  /** Whether a call over the limit may still be read, because it may be the repeat of one; absent where none can be. */
  mayRepeat?(): Promise<boolean>
  /** What the answer says of the limit. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A free call of an address. */
export type FreeTicket = { readonly granted: boolean; putBack(): void }
