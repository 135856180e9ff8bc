import { candidateStates, candidateTransitions } from '#domain/resolver/candidate.ts'
import { movesOtherwise, oneOf, refusal } from './columns.ts'

const changing = `array['state','state_since','decision_id','inspection','inspected_at','inspection_began_at']`

/** Services of others: described by a caller, inspected, and decided about by an operator. */
export const services: readonly string[] = [
  `create table services (
    service_id text primary key check (service_id ~ '^cand_[0-9a-f]{64}$'),
    origin text not null default 'registry' check (origin = 'registry'),
    name text not null check (char_length(name) between 1 and 120),
    url text not null check (char_length(url) <= 2048),
    host text not null,
    description text check (char_length(description) <= 1000),
    protocols json not null,
    schema json,
    agent_id text references agents,
    state text not null default 'observed' ${oneOf('state', candidateStates)},
    state_since timestamptz not null default clock_timestamp(),
    decision_id text,
    inspection json,
    inspected_at timestamptz,
    inspection_began_at timestamptz,
    submitted_at timestamptz not null default clock_timestamp(),
    check ((state = 'observed') = (decision_id is null)),
    check ((inspection is null) = (inspected_at is null))
  )`,
  `create index services_state on services (state, state_since)`,
  `create index services_host on services (host, submitted_at)`,
  `create function services_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      ${refusal(`old.state <> 'observed'`, 'a service that was decided about is never deleted')}
      return old;
    end if;
    if tg_op = 'INSERT' then
      ${refusal(`new.state <> 'observed'`, 'a service begins as observed')}
      return new;
    end if;
    ${refusal(
      `to_jsonb(new) - ${changing} <> to_jsonb(old) - ${changing}`,
      'what was submitted of a service never changes',
    )}
    ${refusal(movesOtherwise('state', candidateTransitions), 'no such move of a service')}
    ${refusal(
      `old.state <> 'observed' and new.inspection::text is distinct from old.inspection::text`,
      'the inspection that was decided about never changes',
    )}
    return new;
  end $$`,
  `create trigger services_guard before insert or update or delete on services for each row execute function services_guard()`,
]
