/** Requirements on refunds, disputes and payments with several windows: id → source and behavior. */
export const returnedMoneyRequirements = {
  'returns.stripe': {
    source: 'money § Refunds and disputes',
    behavior:
      'Stripe’s refunds, whole and partial, and every dispute event are read as what they say of one payment.',
  },
  'returns.judged': {
    source: 'money § Refunds and disputes',
    behavior:
      'The state of a payment after refunds and disputes does not depend on the order of their events.',
  },
  'returns.by-intent': {
    source: 'money § Refunds and disputes',
    behavior:
      'A refund or dispute finds its payment by the payment intent, also when it comes before the payment.',
  },
  'returns.disputed': {
    source: 'money § Refunds and disputes',
    behavior:
      'The credit of a disputed payment is not used. It is restored when the dispute is won and removed when it is lost.',
  },
  'returns.attention': {
    source: 'money § Refunds and disputes',
    behavior:
      'An event of a provider that cannot be applied is an exception until an operator closes it.',
  },
  'returns.provider-scope': {
    source: 'money § Refunds and disputes',
    behavior: 'A provider settles and takes back only payments that are its own.',
  },
  'payments.windows': {
    source: 'money § One payment, one effect',
    behavior:
      'Every verified signature of a payment nonce is kept; the newest settles, and none fails before the last window is over.',
  },
  'payments.undelivered': {
    source: 'money § Call credit',
    behavior:
      'A charge whose answer was never given and can no longer be asked for becomes one call credit of its wallet, once.',
  },
  'x402.unpaid-read': {
    source: 'money § Debt',
    behavior:
      'A read whose payment failed is released with its withheld answer and leaves no debt.',
  },
  'local.instance-lock': {
    source: 'stack § Local files',
    behavior:
      'One process at a time has a data directory, also of several that start at once after one that died.',
  },
  'local.private-files': {
    source: 'stack § Local files',
    behavior:
      'The data directory, logs and everything that a part writes can be read by our own user alone.',
  },
  'local.blocked-ports': {
    source: 'stack § Start',
    behavior:
      'A port that browsers and fetch refuse is never used, and a PORT_BASE that needs one is refused by name.',
  },
  'local.ready-worker': {
    source: 'stack § Processes',
    behavior:
      'A worker counts as ready once everything that it serves is open: an outage after that does not end it.',
  },
  'live.depth': {
    source: 'payouts § Local chain',
    behavior:
      'ENVIRONMENT=live starts only with enough CONFIRMATIONS and a CONFIRM_RPC_URL of another provider.',
  },
  'agent.handshake-age': {
    source: 'agents § Handshake',
    behavior: 'A handshake that was taken can be repeated for its answer for a bounded time only.',
  },
} as const
