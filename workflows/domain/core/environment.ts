/** `local` pays test money on a chain of its own, `live` pays real money. */
export const environments = ['local', 'live'] as const
export type Environment = (typeof environments)[number]
