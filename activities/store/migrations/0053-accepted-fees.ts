/** The monthly fee that the agent of an account accepted when it set controls. */
export const acceptedFees: readonly string[] = [
  `alter table account_control_changes add column accepted_fee_usd integer check (accepted_fee_usd > 0)`,
  `create index account_control_changes_fee on account_control_changes (account_id, accepted_fee_usd)`,
]
