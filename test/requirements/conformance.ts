/** Requirements on where the product follows the two documents to the letter: id → source and behavior. */
export const conformanceRequirements = {
  'conform.paths': {
    source: 'decision',
    behavior:
      'The registry serves the paths of the two documents, each under its host; the operator-only ones take operators alone. A list under test names the paths that are not served yet.',
  },
  'conform.every-path': {
    source: 'decision',
    behavior:
      'Each operation at a documented path answers another input or state with another content, ids, times, signatures and what the input said left out; the same call again answers the same. Each write leaves a record that another operation reads.',
  },
  'conform.mandate-expiry': {
    source: 'payouts § Mandate',
    behavior:
      'The mandate of a payout is refused with payout_expired when expires_at is less than 30 seconds ahead.',
  },
  'conform.trust-contract': {
    source: 'trust § Trust contract',
    behavior:
      'The trust contract states x402Version and the limits with the documented names and values.',
  },
  'conform.policy-rules': {
    source: 'calls § Policy rules',
    behavior: 'The service prints its policy rules in full, in the documented words.',
  },
  'conform.requested-tool': {
    source: 'runs § Work orders',
    behavior:
      'A stored order names one of the active requested tool ids, also where no caller asked for it by one; its rail and its place in the review are those of its run or pilot.',
  },
  'conform.preflight': {
    source: 'tasks § Preflight',
    behavior:
      'A preflight refuses operational work of a sandbox agent and a callback that cannot be called, before it writes anything.',
  },
  'conform.computed': {
    source: 'decision',
    behavior:
      'Posture, accepted methods, provider route, paid surfaces, affected tasks, scopes and review kinds follow from configuration, registries and rows; no member of an answer is always null.',
  },
  'conform.records': {
    source: 'tasks § Record kinds',
    behavior:
      'Each stored row states its runtime record kind. The ledger of a full reference run lists records of all fifteen kinds.',
  },
  'conform.steps': {
    source: 'agents § Access key delivery',
    behavior:
      'A step of self-onboarding or access key delivery is shown as done when its record exists: the trust state after the decision, the delivery after a receiver accepted the notice or the agent claimed the key.',
  },
  'conform.provider': {
    source: 'money § Payment methods',
    behavior:
      'Without a payment provider, hosted_checkout is not offered and returns 400, and a checkout authority says needs_provider. With several providers, the response names one.',
  },
  'conform.declaration': {
    source: 'calls § Forbidden material',
    behavior:
      'Contracts and work orders contain the declaration that the input holds no regulated records and no confidential client data. An order without it is refused.',
  },
  'conform.contract-sets': {
    source: 'trust § Trust contract',
    behavior:
      'The trust contract states the contract sets and the day of the build, and lists the operations of each service under its own id. OpenAPI names only tools that can be called.',
  },
  'conform.payment-response': {
    source: 'money § x402 offers',
    behavior:
      'A run that is started with a signed payment returns PAYMENT-RESPONSE after the payment has settled.',
  },
  'conform.evidence-links': {
    source: 'agents § Reviews',
    behavior:
      'The evidence links of review items are absolute URLs that the reviewing operator can read.',
  },
  'conform.recover-running': {
    source: 'tasks § Recovery',
    behavior:
      'Only a task that an exception stopped can be abandoned. For a task that waits for evidence, the refusal names the call that stops it first.',
  },
  'conform.merchant': {
    source: 'money § Checkout',
    behavior:
      'A checkout names the seller: the payout rail sells its fee, and the agent rails sell their credit.',
  },
  'conform.revise': {
    source: 'runs § Controlled loop',
    behavior:
      'A result is approved, rejected with a note, or revised; a revision has to say what changes, because the same input gives the same result.',
  },
} as const
