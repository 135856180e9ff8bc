/** Requirements on the mandates of AP2 v0.2: id → source and behavior. */
export const ap2Requirements = {
  'ap2.constraints': {
    source: 'ap2 § Constraints',
    behavior:
      'Every constraint of AP2 v0.2 is evaluated exactly: money in whole minor units, periods in the UTC calendar, line items as a maximal flow. An unknown constraint or member is refused.',
  },
} as const
