/** What wallets, authorities, checkouts and the usage ledger owe; part of `requirements.ts`. */
export const walletRequirements = {
  'payouts.submit': {
    source: 'payouts § Many payouts',
    behavior:
      'agent-rails payouts submit and the clients create each payout of a file once, by calls of the caller, and say what became of each. The program verifies a package first, and limits all fees together in one token.',
  },
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
      'The agent and the operators can read an allowance wallet, and only its agent can fund it. Any other agent gets not_owner.',
  },
  'wallet.http.fund': {
    source: 'money § Allowance wallets',
    behavior:
      'A payment into a wallet counts once, after it is verified. A payment for another purpose returns payment_pending or reference_already_used.',
  },
  'wallet.http.terms': {
    source: 'money § Allowance wallets',
    behavior:
      'A payment into a wallet by x402 without a signed payment returns 402 with what to sign. A signed payment repeats safely. Neither another wallet nor a mandate pays into a wallet.',
  },
  'wallet.http.limits': {
    source: 'money § Allowance wallets',
    behavior:
      'An agent can narrow the limits of its wallet and an operator can widen them, each with a receipt. Every debit keeps to the limits.',
  },
  'wallet.http.payer': {
    source: 'money § Payment methods',
    behavior:
      'A payment by agent_allowance names its wallet as payer; without one it is a 400 that names the field.',
  },
  'wallet.http.paused': {
    source: 'money § Allowance wallets',
    behavior: 'A paused wallet pays nothing and says so. After it is resumed, it pays again.',
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
      'A balance that is too small returns 402 with the shortfall. A limit of the wallet or the agent returns 403. Both leave no trace, and the same call succeeds once it is allowed.',
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
      'A run that is rejected or abandoned returns its whole price to the wallet, without a fee.',
  },
  'wallet-run.repeat': {
    source: 'runs § Wallet-bound runs',
    behavior:
      'Ten starts with one key make one run, one order and one debit. Another body under the key returns idempotency_conflict.',
  },
  'pipeline.default-mode': {
    source: 'calls § Modes',
    behavior:
      'A path may have a default mode for bodies that name none. An unknown mode is refused.',
  },
  'authority.payment.contract': {
    source: 'money § Payment authority',
    behavior: 'The API lists the four payment authority types, each with its host and its basis.',
  },
  'authority.payment.other-way': {
    source: 'money § Payment authority',
    behavior:
      'A check keeps no other payment of its quote out: the next payment or check ends it. Once it is presented as a payment, or money came by it, it stays, but for a session that no provider has spoken of. Where it stands in the way, the refusal says that no money moved.',
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
      'The usage ledger shows one synthetic event that is signed as a sample, is always the same, and is stored nowhere.',
  },
  'usage.record': {
    source: 'money § Usage ledger',
    behavior:
      'A use is an event of a hash chain. An event without an accountable caller is unverified and never touches credit.',
  },
  'usage.credit': {
    source: 'money § Usage ledger',
    behavior:
      'Units of credit are consumed once, together with their event and usage receipt, and only from credit of the caller.',
  },
  'usage.read': {
    source: 'money § Usage ledger',
    behavior:
      'An agent reads its own events with their postings. Their totals are those of the postings.',
  },
  'checkout.cards': {
    source: 'money § Checkout',
    behavior:
      'Each sold item has a card with its total. Without a live hosted page, the card falls back to rail checkout.',
  },
  'checkout.links': {
    source: 'money § Checkout',
    behavior:
      'An operator sets a hosted page at exactly the total of the quote. The page is checked once and shown while it is live.',
  },
  'checkout.open': {
    source: 'money § Checkout',
    behavior:
      'Opening a checkout opens the only challenge of its quote and explains how its path pays it. A payment on a hosted page needs no presentation.',
  },
  'authority.stablecoin': {
    source: 'money § Payment authority',
    behavior:
      'A stablecoin_checkout is authorized by an event that reports a stablecoin, and by no event in a fiat currency.',
  },
  'checkout.review': {
    source: 'agents § Evidence of a review',
    behavior:
      'The evidence of a payment has the checkouts of its challenge: customer, e-mail, purchase order and path.',
  },
  'checkout.read': {
    source: 'money § Challenges',
    behavior: 'Only the agent whose credit a challenge pays for can read it.',
  },
  'binding.create': {
    source: 'money § Bindings',
    behavior:
      'A challenge is bound once to the entitlement of its quote. A later settlement funds exactly that entitlement.',
  },
  'binding.read': {
    source: 'money § Bindings',
    behavior: 'A binding can be read by its id or its entitlement, only by its own agent.',
  },
  'money.http.refund': {
    source: 'money § Refunds and disputes',
    behavior:
      'An operator takes back a confirmed invoice or reference by revising it. The unused credit and the revenue from it are taken back.',
  },
} as const
