/** Requirements on refunds, disputes and payments with several windows: id → source and behavior. */
export const returnedMoneyRequirements = {
  'returns.stripe': {
    source: 'decision',
    behavior: 'Stripe’s refunds, whole and partial, and every dispute event are read as what they say of one payment.',
  },
  'returns.judged': {
    source: 'decision',
    behavior: 'How a payment stands after refunds and disputes does not depend on the order in which they are told.',
  },
  'returns.by-intent': {
    source: 'decision',
    behavior: 'A refund or dispute finds its payment by the payment intent, also when it is told before the payment.',
  },
  'returns.disputed': {
    source: 'decision',
    behavior:
      'The credit of a disputed payment is not used: it is upheld when the dispute is won and gone when it is lost.',
  },
  'returns.attention': {
    source: 'decision',
    behavior:
      'What a provider says and cannot simply be applied is an exception for operators until one of them closes it.',
  },
  'returns.provider-scope': {
    source: 'decision',
    behavior: 'A provider settles and takes back only payments that are its own.',
  },
  'payments.windows': {
    source: 'decision',
    behavior:
      'Every verified signature of a payment nonce is kept; the newest settles, and none fails before the last window is over.',
  },
  'payments.undelivered': {
    source: 'decision',
    behavior:
      'A charge whose answer was never given and can no longer be asked for is one call credit of its wallet, once.',
  },
  'x402.unpaid-read': {
    source: 'decision',
    behavior: 'A read whose payment failed is given up with its withheld answer and leaves no debt.',
  },
  'local.instance-lock': {
    source: 'decision',
    behavior: 'One process at a time has a data directory, also of several that start at once after one that died.',
  },
  'local.private-files': {
    source: 'decision',
    behavior: 'The data directory, logs and everything that a part writes can be read by our own user alone.',
  },
  'local.blocked-ports': {
    source: 'decision',
    behavior: 'A port that browsers and fetch refuse is never used, and a PORT_BASE that needs one is refused by name.',
  },
  'local.ready-worker': {
    source: 'decision',
    behavior: 'A worker counts as ready once everything that it serves is open: an outage after that does not end it.',
  },
  'live.depth': {
    source: 'decision',
    behavior: 'ENVIRONMENT=live starts only with enough CONFIRMATIONS and a CONFIRM_RPC_URL of another provider.',
  },
  'agent.handshake-age': {
    source: 'decision',
    behavior: 'A handshake that was taken can be repeated for its answer for a bounded time only.',
  },
} as const
