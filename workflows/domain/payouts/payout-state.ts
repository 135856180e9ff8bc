export const payoutStates = ['created', 'authorized', 'executed'] as const
export type PayoutState = (typeof payoutStates)[number]
