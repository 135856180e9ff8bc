/** What a run is for: synthetic runs are practice and never use money. */
export const runUsages = ['synthetic', 'operational'] as const
export type RunUsage = (typeof runUsages)[number]

/** What a payout is for; creators may leave it unspecified. */
export const payoutUsages = [...runUsages, 'unspecified'] as const
export type PayoutUsage = (typeof payoutUsages)[number]
