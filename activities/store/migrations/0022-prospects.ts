import { channels, prospectTransitions, recordedStates } from '#domain/prospects/prospect.ts'
import { digest, id, movesOtherwise, oneOf, refusal } from './columns.ts'
import { appendOnly } from './guards.ts'

const bindings = 'a binding is an event of its prospect'
const changing = `array['state','state_since','agent_id','customer_account']`

/**
 * Prospects of operators with what happened to each: messages with their channel, replies, the invitation to its pilot, and whose paid
 * runs are its own, which an operator says or the checkout of its pilot. Summaries of sprints, offers of a paid next step to prospects
 * and pilots, and what payments make of both.
 */
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
  `alter table pilots add foreign key (prospect_id) references prospects`,
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
  `create function prospects_bound() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `new.agent_id is not null and not exists (select from prospect_events e
        where e.prospect_id = new.prospect_id and e.event = 'bound')`,
      bindings,
    )}
    return null;
  end $$`,
  `create constraint trigger prospects_bound after insert or update on prospects
    deferrable initially deferred for each row execute function prospects_bound()`,
  `create table prospect_events (
    prospect_id text not null references prospects,
    seq integer not null check (seq >= 1),
    event text not null check (event in ('created','message_sent','message_received','moved','bound')),
    state text not null ${oneOf('state', recordedStates)},
    message_sha256 text ${digest('message_sha256')},
    sent_at timestamptz,
    reason text check (char_length(reason) <= 500),
    operator text,
    at timestamptz not null default clock_timestamp(),
    channel text check (channel in ('email','agent','marketplace','referral','other')),
    cites text,
    pilot_id text references pilots,
    agent_id text references agents,
    customer_account text,
    primary key (prospect_id, seq),
    check ((event = 'bound') = (agent_id is not null)),
    check (operator is not null or (event = 'bound' and pilot_id is not null)),
    check ((event in ('message_sent','message_received')) = (message_sha256 is not null and sent_at is not null))
  )`,
  // A message is sent to a prospect once.
  `create unique index prospect_events_message on prospect_events (prospect_id, message_sha256) where message_sha256 is not null`,
  `create index prospect_events_sent on prospect_events (at) where event = 'message_sent'`,
  `create index prospect_events_qualified on prospect_events (at) where event = 'moved' and state = 'qualified'`,
  `create unique index prospect_events_bound on prospect_events (prospect_id) where event = 'bound'`,
  `create function prospect_events_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `new.message_sha256 is not null and new.channel is null`,
      'a message is recorded with its channel',
    )}
    ${refusal(
      `new.event = 'moved' and new.state in ('replied','qualified') and not exists (select from prospect_events e
        where e.prospect_id = new.prospect_id and e.event = 'message_received' and e.message_sha256 = new.cites)`,
      'a reply and a qualified conversation cite what the prospect wrote',
    )}
    ${refusal(
      `new.event = 'moved' and new.state = 'pilot_offered' and not exists (select from pilots p
        where p.pilot_id = new.pilot_id and p.prospect_id = new.prospect_id)`,
      'a pilot is offered by an invitation',
    )}
    ${refusal(
      `new.event = 'bound' and (not exists (select from prospects p where p.prospect_id = new.prospect_id
          and (p.agent_id, p.customer_account) is not distinct from (new.agent_id, new.customer_account))
        or (new.pilot_id is not null and not exists (select from pilots p where p.pilot_id = new.pilot_id
          and p.prospect_id = new.prospect_id and p.agent_id = new.agent_id)))`,
      bindings,
    )}
    return new;
  end $$`,
  `create trigger prospect_events_guard before insert on prospect_events for each row execute function prospect_events_guard()`,
  appendOnly('prospect_events'),
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
  appendOnly('sprint_summaries'),
  `create table paid_next_steps (
    quote_id text primary key references quotes,
    prospect_id text references prospects,
    task_id text not null references tasks,
    return_package_id text not null,
    usage_receipt_id text not null references receipts,
    note text check (char_length(note) <= 1000),
    operator text not null,
    receipt_id text not null unique references receipts,
    at timestamptz not null default clock_timestamp(),
    pilot_id text references pilots,
    check (num_nonnulls(prospect_id, pilot_id) >= 1)
  )`,
  `create index paid_next_steps_prospect on paid_next_steps (prospect_id, at desc)`,
  `create index paid_next_steps_pilot on paid_next_steps (pilot_id, at desc) where pilot_id is not null`,
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
      where p.customer_account is null or exists (select from production_runs c
        where c.task_id = t.task_id and c.customer_account = p.customer_account)`,
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
