/** Requirements on quotes, keys and replays that belong to one caller: id → source and behavior. */
export const callerRequirements = {
  'caller.known': {
    source: 'calls § Access kinds',
    behavior:
      'A public call that is kept honours a presented access key: it is the agent’s, and a wrong key is refused.',
  },
  'caller.secret': {
    source: 'calls § Idempotency',
    behavior:
      'Idempotency keys of calls without a credential are scoped by Idempotency-Secret, stored as its digest; without one a repeat is a new call, and no stored secret is given again.',
  },
  'caller.registration-signed': {
    source: 'calls § Idempotency',
    behavior:
      'A registration that is repeated with a signature of its own key gets the first answer with its status token, also when the first answer was lost.',
  },
  'caller.quote-bound': {
    source: 'money § Quotes',
    behavior:
      'A quote belongs to the agent that asked for it with its key, or to the first that presents its quote_token. No other agent uses it, and no customer pays it before.',
  },
  'caller.quote-once': {
    source: 'money § Quotes',
    behavior:
      'A quote with a challenge or credit on it is never issued again, so that a second run works at once.',
  },
  'caller.x402-run': {
    source: 'money § x402 offers',
    behavior:
      'An unmodified x402 client pays for a run: the unpaid start offers x402 v2 terms, and the same call with the payment goes through.',
  },
  'caller.x402-balance': {
    source: 'money § x402 offers',
    behavior: 'A payment of a payer who holds too little is refused in just these words.',
  },
  'caller.order-token': {
    source: 'runs § Work orders',
    behavior:
      'The token of a public order, in its header, asks for the quote of a run of the order and presents a payment for it, and does nothing else.',
  },
  'caller.free-run': {
    source: 'runs § Rails',
    behavior:
      'A run of scout passes every state with a quote and credit of nothing: no posting, receipts that say free, and the review before the work.',
  },
  'caller.discovery': {
    source: 'runs § Rails',
    behavior:
      'contractops runs only as synthetic, by preflight, quoted at nothing as contractops_discovery.',
  },
} as const
