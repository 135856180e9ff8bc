/** Requirements on the commercial fees and the tiers of wallets: id → source and behavior. */
export const feeRequirements = {
  'fees.read': {
    source: 'accounts § Fees',
    behavior:
      'Anyone reads the seven fee items with rule and amount and computes them, also by a key without scopes for wallets; a percentage without its basis is refused. An agent reads its own fees and rail fees, those of badges among them, or those that its wallet paid, and of no other one.',
  },
  'fees.amounts': {
    source: 'accounts § Fees',
    behavior:
      'The amounts follow from the settings; a trust badge is pro rata by months, rounded up.',
  },
  'fees.parallel': {
    source: 'accounts § Fees',
    behavior:
      'The postings of 100 parallel accruals balance, no wallet is below zero, and what it does not cover is refused.',
  },
  'fees.once': {
    source: 'accounts § Fees',
    behavior: 'A fee is posted once for each item and subject; an item of 0 posts nothing.',
  },
  'fees.held': {
    source: 'accounts § Fees',
    behavior:
      'A held fee pays nothing else; it is posted from what was held, or released, and the wallet shows it.',
  },
  'fees.controls': {
    source: 'accounts § Fees',
    behavior:
      'An accepted monthly fee and the fees of completed work are posted whatever the account’s own controls are; the pause of the wallet holds them. The change to premium, and a month that was not accepted, are purchases that the controls judge.',
  },
  'fees.monthly': {
    source: 'accounts § Plans',
    behavior:
      'A month is posted once for each wallet or account, also by several workers; a premium wallet that does not cover it is free again, and a fee of controls is due.',
  },
  'fees.collected': {
    source: 'accounts § Fees',
    behavior:
      'A due fee is collected once, the oldest first, with the next payment into the wallet or by a daily timer; what is not covered or is paused stays due.',
  },
  'fees.tier': {
    source: 'accounts § Plans',
    behavior:
      'The tier of a wallet limits what it pays in a UTC day, in the code and in the database; premium has the higher limit.',
  },
  'fees.refunded': {
    source: 'decision',
    behavior:
      'The rail fees that an agent reads are sums of postings, less what refunds took back. When the payment of a run is taken back, its receipt and developer fees that are due are released, and those that were posted stay, for the receipts and the work stand.',
  },
  'fees.runs': {
    source: 'accounts § Fees',
    behavior:
      'A paid run that closes posts the fees of its receipts (intake, settlement, usage, attestations; one of several runs or steps only once) and of its developer once; a wallet that does not cover them owes them, and the run closes.',
  },
} as const
