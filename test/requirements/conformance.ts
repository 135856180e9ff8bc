/** Requirements on where the product follows the two documents to the letter: id → source and behavior. */
export const conformanceRequirements = {
  'conform.mandate-expiry': {
    source: 'payouts § Mandate',
    behavior: 'A mandate is refused with payout_expired when its expires_at has passed.',
  },
  'conform.trust-contract': {
    source: 'trust § Trust contract',
    behavior:
      'The trust contract states x402Version and the limits under the names and with the values of the document.',
  },
  'conform.policy-rules': {
    source: 'calls § Policy rules',
    behavior: 'The policy rules are printed in full, in the words of the document.',
  },
  'conform.requested-tool': {
    source: 'runs § Work orders',
    behavior: 'A stored order names one of the active requested tool ids.',
  },
  'conform.preflight': {
    source: 'tasks § Preflight',
    behavior:
      'Preflight refuses operational work of a sandbox agent and a callback that cannot be called before it writes.',
  },
  'conform.computed': {
    source: 'decision',
    behavior:
      'Posture, accepted methods, provider route, paid surfaces, affected tasks, scopes and review kinds follow from configuration, registries and rows; no member of an answer is always null.',
  },
  'conform.records': {
    source: 'tasks § Record kinds',
    behavior:
      'Each stored row says its runtime record kind, and the ledger of a full reference run lists records of all fifteen kinds.',
  },
  'conform.steps': {
    source: 'agents § Access key delivery',
    behavior:
      'A step of self-onboarding and access key delivery is shown as done when its record is there: the trust state when it is decided, the delivery when a receiver took the notice or the agent claimed the key.',
  },
  'conform.provider': {
    source: 'money § Payment methods',
    behavior:
      'Without a configured payment provider hosted_checkout is not offered and refused with 400, and a checkout authority says needs_provider; with several the provider is named.',
  },
  'conform.declaration': {
    source: 'calls § Forbidden material',
    behavior:
      'Contracts and work orders carry the declaration that the input holds no regulated records and no confidential client data; an order without it is refused.',
  },
  'conform.contract-sets': {
    source: 'trust § Trust contract',
    behavior:
      'The trust contract states the contract sets and the day of the build, lists the operations of each service under its own id, and OpenAPI names no tool that cannot be called.',
  },
  'conform.payment-response': {
    source: 'money § x402 offers',
    behavior:
      'A run that is started with a signed payment answers with PAYMENT-RESPONSE once the payment has settled.',
  },
  'conform.evidence-links': {
    source: 'agents § Reviews',
    behavior:
      'The evidence links of review items are absolute URLs that the reviewing operator can read.',
  },
  'conform.recover-running': {
    source: 'tasks § Recovery',
    behavior:
      'Only a task that an exception stops is abandoned; one that waits for evidence is refused with the call that stops it first.',
  },
  'conform.merchant': {
    source: 'money § Checkout',
    behavior:
      'A checkout names who sells: the payout rail its fee, and the agent rails their credit.',
  },
  'conform.revise': {
    source: 'runs § Controlled loop',
    behavior:
      'An operator approves or rejects a result; to revise is not offered, because the same input gives the same result.',
  },
} as const
