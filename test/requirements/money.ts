export const moneyRequirements = {
  'money.prices': {
    source: 'money § Prices',
    behavior:
      'One rule makes both price tables: the base price, plus a fee of 8 % on the tiers standard and pro.',
  },
  'money.quote-lines': {
    source: 'money § Quotes',
    behavior:
      'The lines of a quote sum to its total, and units multiply the total. A rail that is not sold has no quote.',
  },
  'money.states': {
    source: 'money § Payment references',
    behavior:
      'Entitlements, challenges and payment references change state only along their tables, in code and in SQL.',
  },
  'money.double-entry': {
    source: 'money § Credit',
    behavior:
      'Every movement of credit balances, the fee is exact for every use, and no credit falls below zero.',
  },
  'money.methods': {
    source: 'money § Payment methods',
    behavior: 'Each of the seven payment methods is confirmed by another party than its presenter.',
  },
  'money.stablecoin': {
    source: 'money § Payment methods',
    behavior:
      'A stablecoin reference is one exact plain transfer that is final on chain and that its payer signed for the challenge.',
  },
  'money.ap2': {
    source: 'money § Payment methods',
    behavior:
      'An AP2 reference is confirmed by the money that its mandate names, never by a mandate alone. Its challenge and nonce are in the same replay ledger as those of payouts.',
  },
  'money.webhook-signature': {
    source: 'money § Provider events',
    behavior:
      'The event of a provider is accepted when its raw bytes are signed as v1, v1a or in Stripe’s form and the signature is at most 300 seconds old.',
  },
  'money.provider-event-form': {
    source: 'money § Provider events',
    behavior:
      'A signed event of at most 1 MiB whose type says nothing about a payment is 202 and not accepted, whatever its shape. NUL, other control characters and lone surrogates in the names of any other event are 400. Beyond the limit of its address no large body is read.',
  },
  'money.provider-event': {
    source: 'money § Provider events',
    behavior: 'The events of every provider are mapped to one of four types about one payment.',
  },
  'money.usage-chain': {
    source: 'money § Usage ledger',
    behavior: 'Usage events form a hash chain. A changed, removed or added event is detected.',
  },
  'money.sql.balanced': {
    source: 'money § Credit',
    behavior:
      'SQL refuses unbalanced postings, every change of a posting, and a balance of credit or a wallet below zero.',
  },
  'money.sql.receipts': {
    source: 'money § Credit',
    behavior:
      'Only a settlement receipt funds credit, and only a usage receipt consumes it. SQL enforces both.',
  },
  'money.quote': {
    source: 'money § Quotes',
    behavior: 'A quote lives 24 hours. An idempotency key makes one quote, and two keys make two.',
  },
  'money.challenge': {
    source: 'money § Challenges',
    behavior:
      'A quote has at most one open challenge. While a payment is pending, the response names it instead of a new challenge.',
  },
  'money.reference': {
    source: 'money § Payment references',
    behavior:
      'A payment reference is unique and funds credit only after it is verified. Its challenge becomes free when the reference is proven to be empty.',
  },
  'money.named': {
    source: 'money § Provider events',
    behavior:
      'The name of a payment is no proof: an event funds what it names itself, and an operator decides a payment that names nothing. The first to name a payment neither gets it nor keeps it from another.',
  },
  'money.neutral': {
    source: 'money § Provider events',
    behavior:
      'Who presents the name of a payment that does not fit reads only that it does not; its amount, currency, provider and event are for operators.',
  },
  'money.spending-limit': {
    source: 'money § Payment methods',
    behavior:
      'An agent cannot present a payment above the limit that an operator set, by any method. Payments that a provider reports count as well.',
  },
  'money.provider': {
    source: 'money § Provider events',
    behavior:
      'The events of a provider fund, reject or refund a payment, matched by session, challenge and exact amount, each at most once.',
  },
  'money.allowance': {
    source: 'money § Allowance wallets',
    behavior:
      'An allowance wallet pays at once within its limits. Its balance is exact under concurrency.',
  },
  'money.x402': {
    source: 'money § Payment methods',
    behavior:
      'An x402 reference is claimed once, is settled by its own workflow, and counts when it is final on chain.',
  },
  'money.consume': {
    source: 'money § Credit',
    behavior:
      'A use consumes credit exactly once, with a usage receipt. 100 concurrent uses never take more than the balance.',
  },
  'money.return': {
    source: 'money § Credit',
    behavior: 'Credit that was not consumed is returned once to its source.',
  },
  'money.http.prices': {
    source: 'money § Prices',
    behavior: 'The price list and the quotes of the API contain every number of both price tables.',
  },
  'money.http.challenge': {
    source: 'money § Challenges',
    behavior:
      'A challenge is a 402 problem with the seven payment methods. 100 concurrent requests and every repeat get the same challenge.',
  },
  'money.http.methods': {
    source: 'money § Payment methods',
    behavior:
      'Over HTTP, each payment method funds an entitlement after its confirmation or is refused with its code.',
  },
  'money.http.owner': {
    source: 'money § Payment references',
    behavior: 'Payments and credit are readable only by their own agent and by operators.',
  },
  'money.http.once': {
    source: 'money § Payment references',
    behavior:
      'One payment funds one credit, however often it is presented, by any caller and in parallel.',
  },
  'money.http.provider': {
    source: 'money § Provider events',
    behavior:
      'The event of a provider needs no credential but its signature. It counts once, and it never funds a wrong amount.',
  },
  'money.refund': {
    source: 'money § Refunds and disputes',
    behavior:
      'When a payment is taken back, the rest of its credit and the revenue from it are taken back once.',
  },
  'binding.v1': {
    source: 'payouts § Holder bindings',
    behavior:
      'A payout can be authorized with holder binding version 1: an ES256K kb+jwt that the holder signs.',
  },
  'binding.v2': {
    source: 'payouts § Holder bindings',
    behavior:
      'A payout can be authorized with holder binding version 2: a personal_sign over service-holder-binding-v2.',
  },
  'work-order.payment': {
    source: 'runs § Work orders',
    behavior:
      'The payment that an order names is its agent’s own and pays for its run: its quote becomes that of the order and funds it. Another is 404 or 422.',
  },
  'payments.commands': {
    source: 'agents § Evidence of a review',
    behavior:
      'The command line lists and shows payments, confirms, rejects and refunds them, and sums up the money of the service.',
  },
  'money.http.activation': {
    source: 'money § Provider events',
    behavior:
      'The eight steps of a provider activation can be read by payment or by run. Each step has its time and its evidence.',
  },
} as const
