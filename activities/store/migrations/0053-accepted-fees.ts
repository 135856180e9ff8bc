import { refusal } from './columns.ts'

/** The monthly fee that the agent of an account accepted when it set controls, and when it ends. */
export const acceptedFees: readonly string[] = [
  `alter table account_control_changes add column accepted_fee_usd integer check (accepted_fee_usd > 0),
    add column fee_ends_at timestamptz check (fee_ends_at is null or (accepted_fee_usd is not null and fee_ends_at > changed_at))`,
  `create index account_control_changes_fee on account_control_changes (account_id, changed_at desc) where accepted_fee_usd is not null`,
  // The last change that says something of the fee: that it is accepted, or that it ends.
  `create view account_fees as
    select distinct on (account_id) account_id, accepted_fee_usd, fee_ends_at, coalesce(fee_ends_at > statement_timestamp(), true) as in_force
      from account_control_changes where accepted_fee_usd is not null order by account_id, changed_at desc`,
  `create function control_fees_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `exists (select from account_fees f where f.account_id = split_part(new.subject, ':', 1)
        and f.fee_ends_at <= (split_part(new.subject, ':', 2) || '-01')::timestamp at time zone 'utc')`,
      'the account ended this fee',
    )}
    return new;
  end $$`,
  `create trigger control_fees_guard before insert on fee_events for each row
    when (new.item = 'enterprise_controls') execute function control_fees_guard()`,
]
