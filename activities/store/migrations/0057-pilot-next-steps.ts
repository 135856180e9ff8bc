import { refusal } from './columns.ts'

/** The paid next step of pilots: an offer makes one ready, and it is converted while a run after it is paid. */
export const pilotNextSteps: readonly string[] = [
  `alter table paid_next_steps
    alter column prospect_id drop not null,
    add column pilot_id text references pilots,
    add check (num_nonnulls(prospect_id, pilot_id) >= 1)`,
  `create index paid_next_steps_pilot on paid_next_steps (pilot_id, at desc) where pilot_id is not null`,
  // Operational runs after the first offer to a pilot that issued their receipts, whose payment settled after it too and is verified:
  // for the account of its client, or by a quote that was offered to it. Its own first run is none of them.
  `create view pilot_paid_runs as
    select p.pilot_id, t.task_id, r.payment_reference_id, e.completed_at
      from pilots p
      join pilot_runs own on own.pilot_id = p.pilot_id
      join lateral (select min(s.at) as offered_at from paid_next_steps s where s.pilot_id = p.pilot_id) o on o.offered_at is not null
      join tasks t on t.agent_id = p.agent_id and t.usage = 'operational' and t.task_id <> own.task_id
      join payment_references r on r.entitlement_id = t.entitlement_id and r.state = 'verified'
      join receipts c on c.receipt_id = r.settlement_receipt_id and c.issued_at > o.offered_at
      join lateral (select min(at) as completed_at from task_events e where e.task_id = t.task_id and e.event = 'receipts_issued') e
        on e.completed_at > o.offered_at
      where exists (select from production_runs a where a.task_id = t.task_id and a.customer_account = own.customer_account)
        or exists (select from paid_next_steps s join entitlements n using (quote_id)
          where s.pilot_id = p.pilot_id and n.entitlement_id = t.entitlement_id)`,
  // The state of a pilot now. Its payments decide whether one that is ready has converted, and no one else.
  `create view pilots_now as
    select p.pilot_id, case
        when p.state = 'paid_next_step_ready' and exists (select from pilot_paid_runs r where r.pilot_id = p.pilot_id) then 'converted_to_paid'
        else p.state end as state_now
      from pilots p`,
  `create function pilots_paid_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `new.state = 'paid_next_step_ready' and not exists (select from paid_next_steps s where s.pilot_id = new.pilot_id)`,
      'an offer makes a pilot ready for its paid next step',
    )}
    return new;
  end $$`,
  `create trigger pilots_paid_guard before update on pilots for each row
    when (old.state is distinct from new.state) execute function pilots_paid_guard()`,
]
