/** What wallets, authorities, checkouts and the usage ledger owe; part of `requirements.ts`. */
export const walletRequirements = {
  'money.books': {
    source: 'money § Credit',
    behavior:
      'After any sequence of top-ups, payments, uses, returns and refunds, every book balances.',
  },
  'wallet.sql.limits': {
    source: 'money § Allowance wallets',
    behavior: 'SQL refuses a debit of a wallet outside its limits, from every writer.',
  },
  'wallet.http.contract': {
    source: 'money § Allowance wallets',
    behavior:
      'The wallet product has its four parts and its fee model; creating a wallet is free and has a receipt.',
  },
  'wallet.http.one': {
    source: 'money § Allowance wallets',
    behavior: 'An agent has one free wallet, also after parallel or repeated creates.',
  },
  'wallet.http.owner': {
    source: 'money § Allowance wallets',
    behavior:
      'A wallet is read by its agent and operators, funded by its agent, and not_owner to any other agent.',
  },
  'wallet.http.fund': {
    source: 'money § Allowance wallets',
    behavior:
      'A payment into a wallet counts once it is verified, once; one for something else is payment_pending or reference_already_used.',
  },
  'wallet.http.terms': {
    source: 'money § Allowance wallets',
    behavior:
      'A payment into a wallet by x402 or a mandate without a proof returns 402 with the text to sign. A signed payment repeats safely.',
  },
  'wallet.http.limits': {
    source: 'money § Allowance wallets',
    behavior:
      'An agent narrows the limits of its wallet, an operator widens them, each with a receipt; a debit keeps to them.',
  },
  'wallet.http.paused': {
    source: 'money § Allowance wallets',
    behavior: 'A paused wallet pays nothing and says so; it pays again once it is resumed.',
  },
  'wallet-run.contract': {
    source: 'runs § Wallet-bound runs',
    behavior:
      'The path of wallet-bound runs shows its offer and the fee model. Only its own agent reads a run, and a run that no wallet paid for is not found.',
  },
  'wallet-run.start': {
    source: 'runs § Wallet-bound runs',
    behavior:
      'One call takes the price from the balance and makes payment reference, order and funded task. The fee is posted when the run is done, and the result is at the named target.',
  },
  'wallet-run.review': {
    source: 'runs § Wallet-bound runs',
    behavior:
      'The tasks of an undecided order are reviewed as that order only. After approval, an agreed task only continues.',
  },
  'wallet-run.refused': {
    source: 'runs § Wallet-bound runs',
    behavior:
      'A balance that is too small returns 402 with the shortfall, a limit of the wallet or the agent 403. Both leave no trace, and the same call succeeds once it is allowed.',
  },
  'wallet-run.scopes': {
    source: 'runs § Wallet-bound runs',
    behavior:
      'A run from a wallet needs both scopes, a rail of the key that is sold, and a wallet of its own agent.',
  },
  'wallet-run.parallel': {
    source: 'runs § Wallet-bound runs',
    behavior:
      'Fifty parallel starts on one wallet take no more than its balance. Each refused price exceeds the rest, and every run has its order and its money.',
  },
  'wallet-run.returned': {
    source: 'runs § Wallet-bound runs',
    behavior:
      'A run that is rejected or given up brings its price back to the wallet, whole and without a fee.',
  },
  'wallet-run.repeat': {
    source: 'runs § Wallet-bound runs',
    behavior:
      'Ten starts with one key are one run, one order and one debit; another body under the key is idempotency_conflict.',
  },
  'pipeline.default-mode': {
    source: 'calls § Modes',
    behavior:
      'A path may have a default mode for bodies that name none. An unknown mode is refused.',
  },
  'authority.payment.contract': {
    source: 'money § Payment authority',
    behavior: 'The four payment authority types, each with who hosts it and what it rests on.',
  },
  'authority.payment.check': {
    source: 'money § Payment authority',
    behavior:
      'A payment authority is authorized, needs its provider or is denied with reasons, and moves no money.',
  },
  'authority.payment.debit': {
    source: 'money § Payment authority',
    behavior:
      'A wallet that was authorized is debited when the payment is presented, once, and never after its challenge.',
  },
  'usage.sample': {
    source: 'money § Usage ledger',
    behavior:
      'The usage ledger shows one synthetic event, signed as a sample, byte for byte the same and stored nowhere.',
  },
  'usage.record': {
    source: 'money § Usage ledger',
    behavior:
      'A use is an event of a hash chain. An event without an accountable caller is unverified and never touches credit.',
  },
  'usage.credit': {
    source: 'money § Usage ledger',
    behavior:
      'Units of credit are consumed with their event and usage receipt at once, once, and only of one’s own credit.',
  },
  'usage.read': {
    source: 'money § Usage ledger',
    behavior:
      'An agent reads its own events with their postings. Their totals are those of the postings.',
  },
  'checkout.cards': {
    source: 'money § Checkout',
    behavior:
      'What is sold has a card with its total; without a live hosted page it falls back to rail checkout.',
  },
  'checkout.links': {
    source: 'money § Checkout',
    behavior:
      'An operator sets a hosted page at exactly the quote’s total; it is looked at once, and shown while it is live.',
  },
  'checkout.open': {
    source: 'money § Checkout',
    behavior:
      'A checkout opens the one challenge of a quote, says how its path pays it, and is paid by a hosted page alone.',
  },
  'checkout.read': {
    source: 'money § Challenges',
    behavior: 'Only the agent whose credit it pays for reads a challenge.',
  },
  'binding.create': {
    source: 'money § Bindings',
    behavior:
      'A challenge is bound to the entitlement of its quote, once; a later settlement funds exactly that.',
  },
  'binding.read': {
    source: 'money § Bindings',
    behavior: 'A binding is read by its id or its entitlement, only by its own agent.',
  },
  'money.http.refund': {
    source: 'money § Refunds and disputes',
    behavior:
      'An operator takes back a confirmed invoice or reference by revising it: unused credit goes, and so does what was earned.',
  },
} as const
