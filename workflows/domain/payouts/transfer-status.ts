/** The stored states of a transfer; after `final` and `dead` it never changes. */
export const transferStatuses = [
  'reserved',
  'signed',
  'submitted',
  'included',
  'final',
  'dead',
] as const
export type TransferStatus = (typeof transferStatuses)[number]

/** The states that callers see: a reserved transfer has no signature yet, so it shows as none. */
export const shownTransferStatuses = [
  'none',
  'signed',
  'submitted',
  'included',
  'final',
  'dead',
] as const
export type ShownTransferStatus = (typeof shownTransferStatuses)[number]
