/** Requirements on refunds, disputes and payments with several windows: id → source and behavior. */
export const returnedMoneyRequirements = {
  'returns.stripe': {
    source: 'money § Refunds and disputes',
    behavior:
      'The refund events of Stripe, whole and partial, and all its dispute events are read correctly for one payment.',
  },
  'returns.judged': {
    source: 'money § Refunds and disputes',
    behavior:
      'The state of a payment after refunds and disputes does not depend on the order of their events.',
  },
  'returns.by-intent': {
    source: 'money § Refunds and disputes',
    behavior:
      'A refund or dispute finds its payment by the payment intent, also when the event comes before the payment.',
  },
  'returns.own-payment': {
    source: 'money § Refunds and disputes',
    behavior:
      'Only refunds and disputes of the payment that settled a reference count for it. Another payment that names the same, and what follows of it, changes nothing and is paid_twice for operators; before the real payment it keeps it from nothing.',
  },
  'returns.disputed': {
    source: 'money § Refunds and disputes',
    behavior:
      'The credit of a disputed payment is not used. It is restored when the dispute is won and removed when it is lost.',
  },
  'returns.failed': {
    source: 'money § Refunds and disputes',
    behavior:
      'Money that did not go back after all, by a refund that failed or a lost dispute that was won later, restores exactly what the provider’s word took, once, and is for an operator to see. A later refund applies again.',
  },
  'payments.unknown-session': {
    source: 'money § Payment authority',
    behavior:
      'A presented session that no provider has spoken of keeps no other payment of its quote out, and an operator may reject it; its own payment still settles while nothing else was presented.',
  },
  'returns.wallet-debt': {
    source: 'money § Refunds and disputes',
    behavior:
      'What a wallet no longer holds of a payment that was taken back, it owes, and pays first from all that comes in. Its unused credit is withheld while it owes or a payment into it is disputed.',
  },
  'returns.outage': {
    source: 'money § Refunds and disputes',
    behavior:
      'A provider event that came while a part of the service was away is applied later; an outage is never its outcome.',
  },
  'returns.attention': {
    source: 'money § Refunds and disputes',
    behavior:
      'A provider event that cannot be applied becomes an exception until an operator closes it.',
  },
  'returns.provider-scope': {
    source: 'money § Refunds and disputes',
    behavior: 'A provider settles and takes back only its own payments.',
  },
  'payments.windows': {
    source: 'money § One payment, one effect',
    behavior:
      'Every verified signature of a payment nonce is kept. The newest one settles, and the payment cannot fail before the last validity window is over.',
  },
  'payments.undelivered': {
    source: 'money § Call credit',
    behavior:
      'A charge whose response was never given and can no longer be requested becomes one call credit of its wallet, once.',
  },
  'x402.unpaid-read': {
    source: 'money § Debt',
    behavior:
      'A read whose payment failed is released together with its withheld response and leaves no debt.',
  },
  'local.instance-lock': {
    source: 'stack § Local files',
    behavior:
      'Only one process at a time uses a data directory, also when several start at once after one that died.',
  },
  'local.private-files': {
    source: 'stack § Local files',
    behavior:
      'Only the user of the process can read the data directory, the logs and all files that the parts write.',
  },
  'local.blocked-ports': {
    source: 'stack § Start',
    behavior:
      'The stack never uses a port that browsers and fetch refuse. A PORT_BASE that needs such a port is refused with its number.',
  },
  'local.ready-worker': {
    source: 'stack § Processes',
    behavior:
      'A worker is ready when everything that it serves is open. A later outage does not end it.',
  },
  'live.depth': {
    source: 'payouts § Local chain',
    behavior:
      'A service with ENVIRONMENT=live starts only with enough CONFIRMATIONS and with a CONFIRM_RPC_URL of another provider.',
  },
  'agent.handshake-age': {
    source: 'agents § Handshake',
    behavior: 'A finished handshake can be repeated for its response for a limited time only.',
  },
} as const
