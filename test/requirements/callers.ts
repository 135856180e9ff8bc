/** Requirements on quotes, keys and replays that belong to one caller: id → source and behavior. */
export const callerRequirements = {
  'caller.known': {
    source: 'calls § Access kinds',
    behavior:
      'A public operation accepts an access key and stores the result for its agent. A wrong key is refused.',
  },
  'caller.other-credential': {
    source: 'calls § Access kinds',
    behavior:
      'A public operation that names no operator ignores the credential of one, valid or not, as its `security` in OpenAPI says.',
  },
  'caller.sold-elsewhere': {
    source: 'decision',
    behavior:
      'The refusal of a quote for a rail that is not sold to agents names the call that sells it, and that call does.',
  },
  'caller.secret': {
    source: 'calls § Idempotency',
    behavior:
      'The idempotency keys of calls without a credential are scoped by Idempotency-Secret, which is stored as its digest. Without one, a repeat is a new call. No stored secret is returned a second time.',
  },
  'caller.registration-signed': {
    source: 'calls § Idempotency',
    behavior:
      'A registration that is repeated with a signature of its own key returns the first response with its status token, also when the first response was lost.',
  },
  'caller.quote-bound': {
    source: 'money § Quotes',
    behavior:
      'A quote belongs to the agent that asked for it with its key, or to the first that presents its quote_token. No other agent uses it, and no customer pays it before.',
  },
  'caller.quote-once': {
    source: 'money § Quotes',
    behavior:
      'A repeat with the same idempotency key gets the same quote, another key gets another, so a second run gets a quote of its own.',
  },
  'caller.x402-run': {
    source: 'money § x402 offers',
    behavior:
      'An unmodified x402 client can pay for a run. The unpaid start offers x402 v2 terms, and the same call with the payment succeeds.',
  },
  'caller.x402-balance': {
    source: 'money § x402 offers',
    behavior: 'A payment of a payer with too small a balance is refused with that reason.',
  },
  'caller.order-token': {
    source: 'runs § Work orders',
    behavior:
      'The token of a public order, in its header, can read the order, request the quote of one of its runs and present a payment for it. It can do nothing else.',
  },
  'caller.free-run': {
    source: 'runs § Rails',
    behavior:
      'A run of scout passes every state with a quote and credit of zero. It has no posting, its receipts say that it was free, and an operator reviews it before the work.',
  },
  'caller.discovery': {
    source: 'runs § Rails',
    behavior:
      'The rail contractops runs only synthetic tasks, by preflight or in the sandbox, with a quote of zero as contractops_discovery.',
  },
} as const
