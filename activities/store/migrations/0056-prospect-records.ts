import { refusal } from './columns.ts'

/** The records behind the states of a prospect: messages with their channel, replies, and the invitation to its pilot. */
export const prospectRecords: readonly string[] = [
  `alter table pilots add column prospect_id text references prospects,
    add check (prospect_id is null or source = 'invitation')`,
  `create index pilots_prospect on pilots (prospect_id) where prospect_id is not null`,
  `alter table prospect_events add column channel text check (channel in ('email','agent','marketplace','referral','other')),
    add column cites text, add column pilot_id text references pilots`,
  `alter table prospect_events drop constraint prospect_events_event_check, drop constraint prospect_events_check`,
  `alter table prospect_events add check (event in ('created','message_sent','message_received','moved')),
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
    return new;
  end $$`,
  `create trigger prospect_events_guard before insert on prospect_events for each row execute function prospect_events_guard()`,
]
