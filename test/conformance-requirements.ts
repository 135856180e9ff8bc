/** Requirements on where the product follows the two documents to the letter: id → source and behavior. */
export const conformanceRequirements = {
  'conform.mandate-expiry': {
    source: 'payout.md § issue_mandate for a payout',
    behavior: 'A mandate is refused with payout_expired when its expires_at has passed.',
  },
  'conform.trust-contract': {
    source: 'payout-and-trust § Limits',
    behavior:
      'The trust contract states x402Version and the limits under the names and with the values of the document.',
  },
  'conform.policy-rules': {
    source: 'agent-commerce § What the service does',
    behavior: 'The policy rules are printed in full, in the words of the document.',
  },
  'conform.requested-tool': {
    source: 'agent-commerce § What the service does',
    behavior: 'A stored order names one of the active requested tool ids.',
  },
  'conform.preflight': {
    source: 'agent-commerce § Events',
    behavior:
      'Preflight refuses operational work of a sandbox agent and a callback that cannot be called before it writes.',
  },
  'conform.computed': {
    source: 'decision',
    behavior: 'Posture, provider route, scopes and review kinds follow from configuration and registries.',
  },
} as const
