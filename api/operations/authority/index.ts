import { issueMandate } from './issue-mandate.ts'

/** Delegated authority. */
export const authority = [issueMandate] as const
