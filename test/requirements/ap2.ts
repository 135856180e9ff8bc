/** Requirements on the mandates of AP2 v0.2: id → source and behavior. */
export const ap2Requirements = {
  'ap2.constraints': {
    source: 'ap2 § Constraints',
    behavior:
      'Every constraint of AP2 v0.2 is evaluated exactly: money in whole minor units, periods in the UTC calendar, line items as a maximal flow. An unknown constraint or member is refused.',
  },
  'ap2.chain': {
    source: 'ap2 § Chains',
    behavior:
      'A presentation is one open mandate of a trusted issuer and one closed mandate, which the agent signs for audience, nonce and exactly this open mandate. Every change of a member is refused with its reason.',
  },
  'ap2.foreign-input': {
    source: 'decision',
    behavior:
      'No presentation or disclosure of a stranger makes the verifier fail or takes it over 50 ms, and none is answered with 500.',
  },
  'ap2.hidden': {
    source: 'ap2 § Chains',
    behavior:
      'A holder may withhold elements of the lists that AP2 makes selective, which then permit nothing. A withheld constraint or claim is refused.',
  },
  'ap2.cross-use': {
    source: 'ap2 § Chains',
    behavior:
      'No AP2 mandate passes for a payout mandate or a mandate of authority, and none of these passes for an AP2 mandate.',
  },
  'ap2.issue': {
    source: 'ap2 § Issue',
    behavior:
      'issue_mandate with action.ap2 signs an open checkout mandate and the open payment mandate for it; the same operator and key give the first ones again, and terms that contradict each other are 422 limits_invalid.',
  },
  'ap2.present': {
    source: 'ap2 § Present',
    behavior:
      'A presented mandate is verified only with a debit of the wallet that it names, or with the settled x402 payment of the address that it names. Any other instrument stays pending, settles nothing, and expires with its challenge.',
  },
  'ap2.budget': {
    source: 'ap2 § Present',
    behavior:
      'Constraints are judged and the payment is recorded under the lock of the mandate: 100 parallel presentations end exactly at the budget, and a replayed one spends once.',
  },
  'ap2.revoke': {
    source: 'ap2 § Present',
    behavior: 'A revocation is read in the transaction that pays, and no payment commits after it.',
  },
  'ap2.inspect': {
    source: 'ap2 § Inspect',
    behavior:
      'inspect_mandate with action.ap2 answers 200 with each check, each constraint with its verdict and rule, the budget as the rows have it, the standing of the key and the decoded mandates, open or closed. It stores and uses nothing; another agent is 403 not_owner.',
  },
  'ap2.guards': {
    source: 'ap2 § Guards',
    behavior:
      'SQL refuses a payment over the budget, the uses or the time of its mandate, or under a revoked one, a second use of a nonce, and a change of what is recorded.',
  },
  'ap2.delegated': {
    source: 'ap2 § Present',
    behavior:
      'A mandate of authority that names resources permits a payment by an AP2 mandate only where it names ap2_mandate.',
  },
} as const
