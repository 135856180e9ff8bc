import { issueMandate } from './issue-mandate.ts'

/** Delegated authority (endpoints §5). */
export const authority = [issueMandate] as const
