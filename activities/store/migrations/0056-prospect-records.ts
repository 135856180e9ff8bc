import { refusal } from './columns.ts'

const bindings = 'a binding is an event of its prospect'

/**
 * The records behind the states of a prospect: messages with their channel, replies, the invitation to its pilot, and whose paid
 * runs are its own, which an operator says or the checkout of its pilot.
 */
export const prospectRecords: readonly string[] = [
  `alter table pilots add column prospect_id text references prospects,
    add check (prospect_id is null or source = 'invitation')`,
  `create index pilots_prospect on pilots (prospect_id) where prospect_id is not null`,
  `alter table prospect_events add column channel text check (channel in ('email','agent','marketplace','referral','other')),
    add column cites text, add column pilot_id text references pilots,
    add column agent_id text references agents, add column customer_account text, alter column operator drop not null`,
  `alter table prospect_events drop constraint prospect_events_event_check, drop constraint prospect_events_check`,
  `alter table prospect_events add check (event in ('created','message_sent','message_received','moved','bound')),
    add check ((event = 'bound') = (agent_id is not null)),
    add check (operator is not null or (event = 'bound' and pilot_id is not null)),
    add check ((event in ('message_sent','message_received')) = (message_sha256 is not null and sent_at is not null))`,
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
  `create unique index prospect_events_bound on prospect_events (prospect_id) where event = 'bound'`,
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
]
