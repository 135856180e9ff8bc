/** Where a receipt stands in the transparency log; a sample is `exempt`, and `not_checked` is one that was not looked up. */
export const logStates = ['included', 'pending', 'absent', 'exempt', 'not_checked'] as const
export type LogState = (typeof logStates)[number]
