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
} as const
