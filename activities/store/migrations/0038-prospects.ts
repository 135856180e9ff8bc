import { channels, prospectTransitions, recordedStates } from '#domain/prospects/prospect.ts'
import { digest, id, movesOtherwise, oneOf, refusal } from './columns.ts'

const changing = `array['state','state_since','agent_id','customer_account']`

const appendOnly = (table: string) =>
  `create trigger ${table}_append_only before update or delete on ${table} for each row execute function prospects_append_only()`

/** Prospects of operators with what happened to each, summaries of sprints, offers of a paid next step, and what payments make of them. */
export const prospects: readonly string[] = [
  `create table prospects (
    ${id('prospect_id', 'ps')},
    label text not null check (char_length(label) between 1 and 160),
    channel text not null ${oneOf('channel', channels)},
    rail text,
    contact_reference text check (char_length(contact_reference) between 1 and 160),
    agent_id text references agents,
    customer_account text check (char_length(customer_account) between 1 and 160),
    state text not null default 'identified' ${oneOf('state', recordedStates)},
    state_since timestamptz not null default clock_timestamp(),
    created_at timestamptz not null default clock_timestamp(),
    check (customer_account is null or agent_id is not null)
  )`,
  `create index prospects_newest on prospects (created_at desc, prospect_id)`,
  `create index prospects_bound on prospects (state_since desc, prospect_id) where agent_id is not null`,
  // A run is of one prospect: two of one agent differ in the customer account.
  `create unique index prospects_agent on prospects (agent_id, coalesce(customer_account, '')) where agent_id is not null`,
  `create function prospects_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(`tg_op = 'DELETE'`, 'a prospect is never deleted')}
    if tg_op = 'INSERT' then
      ${refusal(`new.state <> 'identified'`, 'a prospect begins as identified')}
      return new;
    end if;
    ${refusal(
      `to_jsonb(new) - ${changing} <> to_jsonb(old) - ${changing}
        or (old.agent_id is not null and (old.agent_id, old.customer_account) is distinct from (new.agent_id, new.customer_account))`,
      'what is known of a prospect is written once',
    )}
    ${refusal(movesOtherwise('state', prospectTransitions), 'no such move of a prospect')}
    return new;
  end $$`,
  `create trigger prospects_guard before insert or update or delete on prospects for each row execute function prospects_guard()`,
  `create table prospect_events (
    prospect_id text not null references prospects,
    seq integer not null check (seq >= 1),
    event text not null check (event in ('created','message_sent','moved')),
    state text not null ${oneOf('state', recordedStates)},
    message_sha256 text ${digest('message_sha256')},
    sent_at timestamptz,
    reason text check (char_length(reason) <= 500),
    operator text not null,
    at timestamptz not null default clock_timestamp(),
    primary key (prospect_id, seq),
    check ((event = 'message_sent') = (message_sha256 is not null and sent_at is not null))
  )`,
  // A message is sent to a prospect once.
  `create unique index prospect_events_message on prospect_events (prospect_id, message_sha256) where message_sha256 is not null`,
  `create index prospect_events_sent on prospect_events (at) where event = 'message_sent'`,
  `create index prospect_events_qualified on prospect_events (at) where event = 'moved' and state = 'qualified'`,
  `create table sprint_summaries (
    sprint integer not null check (sprint >= 1),
    seq integer not null check (seq >= 1),
    note text not null check (char_length(note) between 1 and 4000),
    closes boolean not null,
    summary json not null,
    receipt_id text not null unique references receipts,
    at timestamptz not null default clock_timestamp(),
    primary key (sprint, seq)
  )`,
  `create unique index sprint_summaries_closed on sprint_summaries (sprint) where closes`,
  `create table paid_next_steps (
    quote_id text primary key references quotes,
    prospect_id text not null references prospects,
    task_id text not null references tasks,
    return_package_id text not null,
    usage_receipt_id text not null references receipts,
    note text check (char_length(note) <= 1000),
    operator text not null,
    receipt_id text not null unique references receipts,
    at timestamptz not null default clock_timestamp()
  )`,
  `create index paid_next_steps_prospect on paid_next_steps (prospect_id, at desc)`,
  `create function prospects_append_only() returns trigger language plpgsql as $$
  begin raise exception 'what stands in % stays as it was written', tg_table_name using errcode = 'check_violation'; end $$`,
  appendOnly('prospect_events'),
  appendOnly('sprint_summaries'),
  appendOnly('paid_next_steps'),
  // Operational runs that issued their receipts and whose payment is still verified, as those of a prospect: of its agent, for its
  // customer account where it has one, and completed since it is known.
  `create view prospect_paid_runs as
    select p.prospect_id, t.task_id, r.payment_reference_id, e.completed_at
      from prospects p
      join tasks t on t.agent_id = p.agent_id and t.usage = 'operational'
      join payment_references r on r.entitlement_id = t.entitlement_id and r.state = 'verified'
      join lateral (select min(at) as completed_at from task_events e where e.task_id = t.task_id and e.event = 'receipts_issued') e
        on e.completed_at > p.created_at
      where p.customer_account is null or p.customer_account in (
        select c.customer_account from customer_runs c where c.task_id = t.task_id
        union all select f.customer_account from first_paid_runs f where f.task_id = t.task_id)`,
  // What the payment of an offer makes of it now. A disputed one may still be upheld; one that was given back is no offer.
  `create view next_steps_now as
    select s.quote_id, case
        when not exists (select from payment_challenges c where c.quote_id = s.quote_id and c.state = 'settled')
          then case when q.expires_at > statement_timestamp() then 'payable' else 'lapsed' end
        when exists (select from entitlements e join payment_references r using (entitlement_id)
          where e.quote_id = s.quote_id and r.state = 'refunded') then 'refunded'
        when exists (select from entitlements e join payment_references r using (entitlement_id)
          where e.quote_id = s.quote_id and r.state = 'disputed') then 'disputed'
        else 'paid' end as state_now
      from paid_next_steps s join quotes q using (quote_id)`,
  // The state of a prospect now. Payments and live offers decide about the paid states, and no one else.
  `create view prospects_now as
    select p.prospect_id, case
        when exists (select from prospect_paid_runs r where r.prospect_id = p.prospect_id) then 'converted_to_paid'
        when p.state <> 'declined' and exists (select from paid_next_steps s join next_steps_now n using (quote_id)
          where s.prospect_id = p.prospect_id and n.state_now in ('payable','paid')) then 'paid_next_step_ready'
        else p.state end as state_now
      from prospects p`,
]
