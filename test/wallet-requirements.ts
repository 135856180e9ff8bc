/** What wallets, authorities, checkouts and the usage ledger owe; part of `requirements.ts`. */
export const walletRequirements = {
  'money.books': {
    source: 'tasks.md § Money',
    behavior: 'Whatever is topped up, paid, consumed, returned and refunded, in whatever order, every book balances.',
  },
  'wallet.sql.limits': {
    source: 'endpoints.md § 12',
    behavior: 'SQL refuses a debit of a wallet outside its limits, whoever posts it.',
  },
  'wallet.http.contract': {
    source: 'agent-commerce § Enumerations',
    behavior: 'The wallet product has its four parts and its fee model; creating a wallet is free and has a receipt.',
  },
  'wallet.http.one': {
    source: 'endpoints.md § 12',
    behavior: 'An agent has one free wallet, however often and however many times at once it creates it.',
  },
  'wallet.http.owner': {
    source: 'endpoints.md § 12',
    behavior: 'A wallet is read by its agent and operators, funded by its agent, and not_owner to any other agent.',
  },
  'wallet.http.fund': {
    source: 'endpoints.md § 12',
    behavior:
      'A payment into a wallet counts once it is verified, once; one for something else is payment_pending or reference_already_used.',
  },
  'wallet.http.terms': {
    source: 'decision',
    behavior:
      'Who pays into a wallet by x402 or a mandate without a proof is told by a 402 what to sign; a signed payment repeats safely.',
  },
  'wallet.http.limits': {
    source: 'endpoints.md § 12',
    behavior:
      'An agent narrows the limits of its wallet, an operator widens them, each with a receipt; a debit keeps to them.',
  },
  'wallet.http.paused': {
    source: 'endpoints.md § 1.2',
    behavior: 'A paused wallet pays nothing and says so; it pays again once it is resumed.',
  },
  'wallet-run.contract': {
    source: 'endpoints.md § 12',
    behavior:
      'The path of wallet-bound runs says what it offers and the fee model; a run is read with what it carries by its own agent, and one that no wallet paid for is not found there.',
  },
  'wallet-run.start': {
    source: 'endpoints.md § 12',
    behavior:
      'One call takes the price out of the balance and makes payment reference, order and funded task; the fee is posted once the run is done, and the result is where the target says.',
  },
  'wallet-run.review': {
    source: 'decision',
    behavior:
      'What stands behind an order that nobody has decided is reviewed as that order and in no other way; approved, an agreed task only goes on.',
  },
  'wallet-run.refused': {
    source: 'endpoints.md § 12',
    behavior:
      'A balance that is too small is a 402 with the shortfall, a limit of the wallet or the agent a 403; both leave nothing behind, and the same call goes on once it may.',
  },
  'wallet-run.scopes': {
    source: 'endpoints.md § 12',
    behavior: 'A run from a wallet needs both scopes, a rail of the key that is sold, and a wallet of its own agent.',
  },
  'wallet-run.parallel': {
    source: 'endpoints.md § 12',
    behavior:
      'Fifty starts at once on one wallet take no more than it holds: what is refused is larger than what is left, and every run has its order and its money.',
  },
  'wallet-run.returned': {
    source: 'tasks.md § Money',
    behavior: 'A run that is rejected or given up brings its price back to the wallet, whole and without a fee.',
  },
  'wallet-run.repeat': {
    source: 'endpoints.md § 29',
    behavior:
      'Ten starts with one key are one run, one order and one debit; another body under the key is idempotency_conflict.',
  },
  'road.default-mode': {
    source: 'endpoints.md § 12',
    behavior: 'A path may have a mode for bodies that name none; a mode that is not known is still refused.',
  },
  'authority.payment.contract': {
    source: 'agent-commerce § Enumerations',
    behavior: 'The four payment authority types, each with who hosts it and what it rests on.',
  },
  'authority.payment.check': {
    source: 'endpoints.md § 12',
    behavior: 'A payment authority is authorized, needs its provider or is denied with reasons, and moves no money.',
  },
  'authority.payment.debit': {
    source: 'decision',
    behavior:
      'A wallet that was authorized is debited when the payment is presented, once, and never after its challenge.',
  },
  'usage.sample': {
    source: 'endpoints.md § 1.1',
    behavior:
      'The usage ledger shows one synthetic event, signed as a sample, byte for byte the same and stored nowhere.',
  },
  'usage.record': {
    source: 'endpoints.md § 8',
    behavior: 'A use is an event of a hash chain; one that nobody answers for is unverified and never touches credit.',
  },
  'usage.credit': {
    source: 'endpoints.md § 8',
    behavior:
      'Units of credit are consumed with their event and usage receipt at once, once, and only of one’s own credit.',
  },
  'usage.read': {
    source: 'endpoints.md § 8',
    behavior: 'An agent reads its own events with the postings under each; their totals are those of the postings.',
  },
  'checkout.cards': {
    source: 'agent-commerce § What the service does',
    behavior: 'What is sold has a card with its total; without a live hosted page it falls back to rail checkout.',
  },
  'checkout.links': {
    source: 'endpoints.md § 11',
    behavior:
      'An operator sets a hosted page at exactly the quote’s total; it is looked at once, and shown while it is live.',
  },
  'checkout.open': {
    source: 'endpoints.md § 11',
    behavior:
      'A checkout opens the one challenge of a quote, says how its path pays it, and is paid by a hosted page alone.',
  },
  'checkout.read': {
    source: 'endpoints.md § 11',
    behavior: 'A challenge is read by the agent whose credit it pays for, and by nobody else’s.',
  },
  'binding.create': {
    source: 'endpoints.md § 11',
    behavior: 'A challenge is bound to the entitlement of its quote, once; a later settlement funds exactly that.',
  },
  'binding.read': {
    source: 'endpoints.md § 11',
    behavior: 'A binding is read by its id or its entitlement, by its own agent.',
  },
  'money.http.refund': {
    source: 'decision',
    behavior:
      'An operator takes back a confirmed invoice or reference by revising it: unused credit goes, and so does what was earned.',
  },
} as const
